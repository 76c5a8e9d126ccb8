/* SPDX-License-Identifier: MIT */
/* reports.c - dies as its first argument says and reports it twice from the same
 * handler: text to stdout, JSON to descriptor 3.  The other arguments:
 *
 *	sections=N late deadline=MS
 *	colours blind			as in struct wcm_crash_report, and with
 *					no file to be opened
 *	name=NAME			of the thread that dies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <whocallme.h>

#include "core/os/clock.h"
#include "crash/report/report.h"
#include "crash/signals/altstack.h"

#define KEPT __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

enum { PAGE = 4096, GUARD_INSTALL = 102 /* MADV_GUARD_INSTALL */ };

static struct wcm_crash_report report = { .fd = 1 };
static bool late;
static uint64_t time_for_one = 5000000000; /* in nanoseconds */
static const char *thread_name;
static volatile int sink, zero;

static void on_death(int number, siginfo_t *info, void *ucontext)
{
	(void)number;
	report.info = info;
	report.ucontext = ucontext;
	report.deadline = late ? 0 : wcm__clock_ns() + time_for_one;
	if (!wcm__crash_report(&report))
		_exit(5);
	report.fd = 3;
	report.json = true;
	report.deadline = late ? 0 : wcm__clock_ns() + time_for_one;
	_exit(wcm__crash_report(&report) ? 42 : 6);
}

KEPT static void read_from(uintptr_t address)
{
	sink = *(volatile char *)address;
}

KEPT static void write_to(uintptr_t address)
{
	*(volatile char *)address = 1;
}

KEPT static void call(uintptr_t address)
{
	((void (*)(void))address)();
	NO_TAIL_CALL;
}

static char *map(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void null_read(void) { read_from((uintptr_t)zero); }
static void near_null(void) { read_from(16); }
static void before_null(void) { write_to((uintptr_t)-8); }
static void null_call(void) { call((uintptr_t)zero); }
static void near_call(void) { call(64); }
static void wild_call(void) { call(0x12345000); }
static void call_of_data(void) { call((uintptr_t)calloc(1, 64)); }
static void write_to_text(void) { write_to((uintptr_t)&write_to_text); }
static void odd_read(void) { read_from((uintptr_t)0xdead000000000000); }
static void kernel_read(void) { read_from((uintptr_t)-0x10000000); }
static void killed(void) { kill(getpid(), SIGSEGV); }
static void divide(void) { sink = 1000 / zero; }

/* Below a mapping that is written: a guard, but not that of a stack in use. */
static void guard(void)
{
	char *pages = map(3 * PAGE, PROT_NONE);

	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
	write_to((uintptr_t)pages + PAGE - 1);
}

/* Between two mappings, in what was one. */
static void freed(void)
{
	char *pages = map(3 * PAGE, PROT_READ);

	munmap(pages + PAGE, PAGE);
	read_from((uintptr_t)pages + PAGE + 24);
}

static void beyond_file(void)
{
	char path[] = "/tmp/whocallme-XXXXXX";
	int fd = mkstemp(path);
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	unlink(path);
	read_from((uintptr_t)page + 8);
}

/* A stack is where it is by its own end, not by main's name. */
KEPT static int recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = *above;
	return recurse(here) + here[0];
}

static void overflow(void)
{
	volatile char start = 0;

	sink = recurse(&start);
}

static void huge_frame(void)
{
	volatile char *frame = __builtin_alloca((size_t)64 << 20);

	frame[0] = 1;
	sink = frame[sink];
}

static void large_frame(void)
{
	volatile char *frame = __builtin_alloca((size_t)(9 << 20));

	for (size_t i = 9 << 20; i > 0; i -= PAGE)
		frame[i - 1] = 1;
}

/* Run DEATH as a coroutine on the SIZE bytes at STACK. */
static void elsewhere(void (*death)(void), char *stack, size_t size)
{
	static ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, death, 0);
	swapcontext(&here, &there);
}

static void overflow_elsewhere(void)
{
	char *pages = map(17 * PAGE + PAGE, PROT_NONE);

	mprotect(pages + PAGE, 16 * PAGE, PROT_READ | PROT_WRITE);
	elsewhere(overflow, pages + PAGE, 16 * PAGE);
}

static void *die_in_thread(void *death)
{
	wcm__altstack_arm();
	prctl(PR_SET_NAME, thread_name ? thread_name : "worker");
	usleep(50000); /* by then others wait for us */
	(*(void (**)(void))death)();
	return NULL;
}

/* Die in a thread whose stack has SIZE bytes. */
static void in_thread(void (*death)(void), size_t size)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, size);
	pthread_create(&thread, &attributes, die_in_thread, &death);
	pthread_join(thread, NULL);
}

static void overflow_8m(void) { in_thread(overflow, (size_t)8 << 20); }
static void overflow_16k(void) { in_thread(overflow, (size_t)16 << 10); }
static void huge_in_thread(void) { in_thread(huge_frame, (size_t)256 << 10); }
static void null_in_thread(void) { in_thread(null_read, (size_t)1 << 20); }

/* Guards that are a part of the mapping, pages marked in it (Linux 6.13): two stacks,
 * each with its guard below, side by side as glibc's are since 2.42. */
enum { GUARD = 16 * PAGE, STACK = 48 * PAGE };
static char *guards[2];

static void on_upper_stack(void (*death)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;

	guards[0] = map(2 * (GUARD + STACK), PROT_READ | PROT_WRITE);
	guards[1] = guards[0] + GUARD + STACK;
	for (int i = 0; i < 2; i++)
		if (madvise(guards[i], GUARD, GUARD_INSTALL) != 0)
			_exit(77);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, guards[1], GUARD + STACK);
	pthread_create(&thread, &attributes, die_in_thread, &death);
	pthread_join(thread, NULL);
}

/* One frame that ends at END, used from there on. */
KEPT static void frame_down_to(char *end)
{
	const size_t size = (size_t)((char *)__builtin_frame_address(0) - end);
	volatile char *frame = __builtin_alloca(size);

	for (size_t i = 0; i < size; i += PAGE)
		frame[i] = 1;
}

static void into_lower_guard(void) { frame_down_to(guards[0] + GUARD / 2); }
static void into_lower_stack(void) { frame_down_to(guards[0] + GUARD + STACK / 2); }
static void write_to_upper_guard(void) { write_to((uintptr_t)guards[1] + GUARD / 2); }
static void beside(void) { elsewhere(write_to_upper_guard, guards[0] + GUARD, STACK); }

static void overflow_marked(void) { on_upper_stack(overflow); }
static void huge_to_guard(void) { on_upper_stack(into_lower_guard); }
static void huge_to_stack(void) { on_upper_stack(into_lower_stack); }
static void beside_marked(void) { on_upper_stack(beside); }

static void *die_alone(void *argument)
{
	wcm__altstack_arm();
	prctl(PR_SET_NAME, "last");
	/* Until the first thread is a zombie, of which /proc knows less. */
	for (char state = 0; state != 'Z';) {
		FILE *file = fopen("/proc/self/stat", "r");

		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			_exit(8);
		fclose(file);
	}
	null_read();
	return argument;
}

static void without_main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, die_alone, NULL);
	pthread_exit(NULL);
}

/* PLUGIN, loaded after everything else is known, calls back to die. */
static void in_plugin(void)
{
	const char *path = getenv("PLUGIN");
	void *plugin = dlopen(path, RTLD_NOW);
	void (*run)(void (*)(void)) =
		plugin ? (void (*)(void (*)(void)))dlsym(plugin, "plugin_call")
		       : NULL;

	if (!run)
		_exit(7);
	run(null_read);
}

static const struct {
	const char *name;
	void (*run)(void);
} deaths[] = {
	{ "null_read", null_read },
	{ "near_null", near_null },
	{ "before_null", before_null },
	{ "null_call", null_call },
	{ "near_call", near_call },
	{ "wild_call", wild_call },
	{ "call_of_data", call_of_data },
	{ "write_to_text", write_to_text },
	{ "odd_read", odd_read },
	{ "kernel_read", kernel_read },
	{ "killed", killed },
	{ "divide", divide },
	{ "guard", guard },
	{ "freed", freed },
	{ "beyond_file", beyond_file },
	{ "overflow", overflow },
	{ "huge_frame", huge_frame },
	{ "large_frame", large_frame },
	{ "overflow_elsewhere", overflow_elsewhere },
	{ "overflow_8m", overflow_8m },
	{ "overflow_16k", overflow_16k },
	{ "overflow_marked", overflow_marked },
	{ "huge_to_guard", huge_to_guard },
	{ "huge_to_stack", huge_to_stack },
	{ "beside_marked", beside_marked },
	{ "huge_in_thread", huge_in_thread },
	{ "null_in_thread", null_in_thread },
	{ "without_main", without_main },
	{ "in_plugin", in_plugin },
};

/* From now on no file can be opened, as where there is no /proc. */
static void open_nothing(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 2),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
}

static void take_option(const char *option)
{
	if (strncmp(option, "sections=", 9) == 0)
		report.sections = (uint32_t)strtoul(option + 9, NULL, 0);
	if (strncmp(option, "deadline=", 9) == 0)
		time_for_one = strtoul(option + 9, NULL, 0) * 1000000;
	if (strncmp(option, "name=", 5) == 0)
		prctl(PR_SET_NAME, thread_name = option + 5);
	if (strcmp(option, "late") == 0)
		late = true;
	if (strcmp(option, "colours") == 0)
		report.colours = true;
	if (strcmp(option, "blind") == 0)
		open_nothing();
}

int main(int argc, char *argv[])
{
	struct sigaction action = { .sa_sigaction = on_death,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (argc < 2 || init_function_table(argv[0]) != 0 ||
	    !wcm__altstack_arm())
		return 2;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	for (int i = 2; i < argc; i++)
		take_option(argv[i]);
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (strcmp(argv[1], deaths[i].name) == 0)
			deaths[i].run();
	return 3;
}
