/* SPDX-License-Identifier: MIT */
/* pointers.c - threads whose thread pointer is broken.  -DUNAWARE knows of no report.
 *
 *	pointers none|wild|odd|full|in_thread|others|at_once|large|forbidden|repaired|left|
 *	withheld
 *
 * From where the pointer is broken on nothing here uses a thread-local variable.
 */
#define _GNU_SOURCE
#ifdef __i386__
#include <asm/ldt.h>
#endif
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef UNAWARE
#include <whocallme.h>
#endif

#define KEPT __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

enum { PAGE = 4096, MANY = 20 };

#define WILD ((uintptr_t)0x12345000)

static volatile int zero, sink;
static char *page;

#ifdef __i386__
enum { ASK_POINTER = SYS_get_thread_area, SET_POINTER = SYS_set_thread_area };

static long raw(long number, long a, long b, long c)
{
	__asm__ volatile("int $0x80"
			 : "+a"(number)
			 : "b"(a), "c"(b), "d"(c)
			 : "memory");
	return number;
}

static struct user_desc segment(uintptr_t pointer)
{
	uint32_t selector;

	__asm__("movl %%gs, %0" : "=r"(selector));
	return (struct user_desc){ .entry_number = selector >> 3, .base_addr = pointer,
				   .limit = 0xfffff, .seg_32bit = 1, .limit_in_pages = 1,
				   .useable = 1 };
}

static void set_pointer(uintptr_t pointer)
{
	struct user_desc wanted = segment(pointer);

	raw(SET_POINTER, (long)&wanted, 0, 0);
}

static uintptr_t get_pointer(void)
{
	struct user_desc now = segment(0);

	raw(ASK_POINTER, (long)&now, 0, 0);
	return now.base_addr;
}
#else
enum { ASK_POINTER = SYS_arch_prctl, SET_POINTER = SYS_arch_prctl };
enum { SET_FS = 0x1002, GET_FS = 0x1003 }; /* arch_prctl(2) */

static long raw(long number, long a, long b, long c)
{
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return number;
}

static void set_pointer(uintptr_t pointer)
{
	raw(SET_POINTER, SET_FS, (long)pointer, 0);
}

static uintptr_t get_pointer(void)
{
	uintptr_t pointer = 0;

	raw(ASK_POINTER, GET_FS, (long)&pointer, 0);
	return pointer;
}
#endif

KEPT static void null_read(void)
{
	sink = *(volatile int *)(uintptr_t)zero;
}

KEPT static void none(void)
{
	set_pointer(0);
	null_read();
	NO_TAIL_CALL;
}

/* In libc, which looks for the thread's errno. */
KEPT static void wild(void)
{
	set_pointer(WILD);
	errno = 0;
	NO_TAIL_CALL;
}

/* To what can be read, and is something else. */
KEPT static void odd(void)
{
	static char other[PAGE] __attribute__((aligned(PAGE)));

	set_pointer((uintptr_t)other);
	sink = 1000 / zero;
}

KEPT static int recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = *above;
	return recurse(here) + here[0];
}

KEPT static void full(void)
{
	volatile char start = 0;

	set_pointer(8);
	sink = recurse(&start);
}

static void *die(void *argument)
{
	none();
	return argument;
}

KEPT static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, die, NULL);
	pthread_join(thread, NULL);
}

static volatile int ready;

KEPT static void spin(void)
{
	set_pointer(WILD);
	ready = 1;
	for (;;)
		__asm__ volatile("pause");
}

static void *spin_on(void *argument)
{
	spin();
	return argument;
}

/* The thread that crashes is well, and another is not. */
KEPT static void others(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_on, NULL);
	while (!ready)
		;
	null_read();
}

static pthread_barrier_t barrier;

static void *die_together(void *argument)
{
	pthread_barrier_wait(&barrier);
	return die(argument);
}

KEPT static void at_once(void)
{
	pthread_t thread[MANY];

	pthread_barrier_init(&barrier, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		pthread_create(&thread[i], NULL, die_together, NULL);
	for (int i = 0; i < MANY; i++)
		pthread_join(thread[i], NULL);
}

/* Then libc's variables, and ours, are far from the pointer. */
static __thread char far_away[1 << 20];

KEPT static void large(void)
{
	far_away[0] = 1;
	none();
}

/* A process that has no core has no addresses in its report. */
KEPT static void withheld(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	wild();
}

/* A sandbox does not let the pointer be asked for, or set. */
KEPT static void forbidden(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ASK_POINTER, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SET_POINTER, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 5, code };

	set_pointer(0);
	raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0);
	raw(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program);
	null_read();
}

static uintptr_t good;
static volatile int calls;

/* As what runs another system's programs has it: it knows which the pointer has to be. */
static void repair(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	calls = calls + (get_pointer() == WILD);
	set_pointer(good);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	errno = ENOTTY;
}

static void repair_and_leave(int signal, siginfo_t *info, void *context)
{
	repair(signal, info, context);
	set_pointer(WILD);
}

static void with_handler(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	good = get_pointer();
	page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	errno = 0;
	set_pointer(WILD);
	*(volatile char *)page = 1;
}

KEPT static void repaired(void)
{
	with_handler(repair);
	printf("called %d times, errno %d\n", calls, errno == ENOTTY);
	fflush(stdout);
	_exit(0);
}

/* The pointer stays broken, and the next fault finds no handler. */
KEPT static void left(void)
{
	uintptr_t now;
	int error;

	with_handler(repair_and_leave);
	now = get_pointer();
	set_pointer(good);
	error = errno;
	printf("called %d times, broken %d, errno %d\n", calls, now == WILD,
	       error == ENOTTY);
	fflush(stdout);
	signal(SIGSEGV, SIG_DFL);
	none();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "none", none },	{ "wild", wild },	  { "odd", odd },
	{ "full", full },	{ "in_thread", in_thread }, { "others", others },
	{ "at_once", at_once }, { "large", large },	  { "forbidden", forbidden },
	{ "repaired", repaired }, { "left", left },	  { "withheld", withheld },
};

int main(int argc, char *argv[])
{
#ifndef UNAWARE
	init_function_table(argv[0]);
	wcm_crash_install(NULL);
#endif
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 3;
		}
	return 2;
}
