/* SPDX-License-Identifier: MIT */
/* bare.c - a fault in functions that no .eh_frame describes and that keep no frame
 * pointer, above the return addresses of calls that are over.
 *
 *	bare WAY	through functions of the compiler's
 *	bare any SIZE	in one whose frame of SIZE bytes its code does not tell
 *	bare survived	which is reported and survived, before a stack that is asked for
 *
 * With WHOCALLME_BARE_TABLES=no in the environment no function table is made first.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <whocallme.h>

#define APART __attribute__((noinline))

#ifdef BARE_JSON
enum { FLAGS = WCM_CRASH_JSON };
#else
enum { FLAGS = 0 };
#endif

#ifdef BARE_LARGE
/* More than a report reads, and nothing in it. */
__asm__(".section .debug_frame, \"\", @progbits\n"
	".zero 0x1100000\n");
#endif

static volatile int after;
static volatile char *volatile kept;

/* Does not call: what it is called for is on top of the stack. */
#ifdef __i386__
__asm__(".text\n"
	".cfi_sections .debug_frame\n"
	".type helper, @function\n"
	"helper:\n"
	"	.cfi_startproc\n"
	"	pushl %ebx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_offset %ebx, -8\n"
	"	movl 8(%esp), %eax\n"
	"	movl 12(%esp), %ebx\n"
	"	movl 16(%esp), %ecx\n"
	"	movl 20(%esp), %edx\n"
	"	int $0x80\n"
	"	popl %ebx\n"
	"	.cfi_def_cfa_offset 4\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size helper, . - helper\n"
	".type any_frame, @function\n"
	"any_frame:\n"
	"	.cfi_startproc\n"
	"	movl 4(%esp), %eax\n"
	"	leal 4(%esp), %ecx\n"
	"	.cfi_def_cfa %ecx, 0\n"
	"	subl %eax, %esp\n"
	"	movl $1, 16\n"
	"	movl %ecx, %esp\n"
	"	jmp *-4(%esp)\n"
	"	.cfi_endproc\n"
	"	.size any_frame, . - any_frame\n");
#else
__asm__(".text\n"
	".cfi_sections .debug_frame\n"
	".type helper, @function\n"
	"helper:\n"
	"	.cfi_startproc\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	syscall\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size helper, . - helper\n"
	".type any_frame, @function\n"
	"any_frame:\n"
	"	.cfi_startproc\n"
	"	leaq 8(%rsp), %r11\n"
	"	.cfi_def_cfa %r11, 0\n"
	"	subq %rdi, %rsp\n"
	"	movl $1, 16\n"
	"	movq %r11, %rsp\n"
	"	jmp *-8(%rsp)\n"
	"	.cfi_endproc\n"
	"	.size any_frame, . - any_frame\n");
#endif
long helper(long number, long first, long second, long third);
void any_frame(size_t size);

APART static int leaf(int x)
{
	if (x > 0)
		*(volatile int *)16 = x;
	return x + 1;
}

APART static void killer(void)
{
	char room[100];

	kept = room;
	helper(SYS_tgkill, getpid(), (long)syscall(SYS_gettid), SIGILL);
	after = room[1];
}

APART static int in_small(int x)
{
	return leaf(x) + 1;
}

APART static int in_array(int x)
{
	char room[64];

	kept = room;
	room[0] = (char)in_small(x);
	return room[0] + 1;
}

APART static int in_large(int x)
{
	char room[5000];

	kept = room;
	room[3] = (char)in_array(x);
	return room[3] + 1;
}

APART static int in_128(int x)
{
	char room[104];

	kept = room;
	room[3] = (char)in_array(x);
	return room[3] + 1;
}

/* Has most of the registers that a callee preserves. */
APART static int in_registers(int a, int b, int c, int d, int e, int f)
{
	int x = in_small(a);

	x += in_small(-b);
	return leaf(c) + leaf(-d) * leaf(-e) + leaf(-f) + a * b * c * d * e * f + x;
}

APART static int with_call_back(int (*call)(int), int x)
{
	return call(x) + 1;
}

APART static int compare(const void *a, const void *b)
{
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

APART static int in_sort(int x)
{
	int numbers[] = { x, x + 1, x + 2 };

	qsort(numbers, 3, sizeof(numbers[0]), compare);
	return numbers[0];
}

/* Leaves return addresses behind, those of calls by a register as well, at DEPTH
 * places of the stack. */
APART static int dig(int depth, int (*volatile call)(int))
{
	char room[24];

	kept = room;
	if (depth > 0)
		after = call(-1) + dig(depth - 1, call) + call(-2);
	return room[0] + after;
}

APART static int recursive(int depth)
{
	after = depth == 0 ? in_registers(1, 1, 1, 1, 1, 1) : recursive(depth - 1);
	return after + depth;
}

APART static void asks(volatile char *room)
{
	room[0] = 1;
	full_backtrace();
	after = room[0];
}

APART static void in_asking(int count)
{
	volatile char room[300];

	for (int i = 0; i < count; i++)
		room[i] = 1;
	asks(room);
	after = room[1];
}

static sigjmp_buf back;
static int is_survived;

static void on_report(const void *info, void *ucontext, void *data)
{
	(void)info, (void)ucontext, (void)data;
	if (is_survived)
		siglongjmp(back, 1);
}

APART static void survive(void)
{
	is_survived = 1;
	if (sigsetjmp(back, 1) == 0)
		after = leaf(1);
	after = (int)write(2, "survived\n", 9);
	in_asking(3);
	after = 1;
}

APART static void run(const char *way)
{
	if (strcmp(way, "leaf") == 0)
		after = leaf(1);
	else if (strcmp(way, "small") == 0)
		after = in_small(1);
	else if (strcmp(way, "array") == 0)
		after = in_array(1);
	else if (strcmp(way, "large") == 0)
		after = in_large(1);
	else if (strcmp(way, "128") == 0)
		after = in_128(1);
	else if (strcmp(way, "registers") == 0)
		after = in_registers(1, 2, 3, 4, 5, 6);
	else if (strcmp(way, "callback") == 0)
		after = with_call_back(in_array, 1);
	else if (strcmp(way, "sort") == 0)
		after = in_sort(1);
	else if (strcmp(way, "recursive") == 0)
		after = recursive(4);
	else if (strcmp(way, "killer") == 0)
		killer();
	else if (strcmp(way, "backtrace") == 0)
		in_asking(3);
	else if (strcmp(way, "survived") == 0)
		survive();
	after = 1;
}

APART static void run_any(const char *text)
{
	const size_t size = strtoul(text, NULL, 0);

	dig(20, leaf);
	any_frame(size);
	after = 1;
}

int main(int argc, char *argv[])
{
	const struct wcm_crash_options options = { .flags = FLAGS, .callback = on_report };

	if (argc < 2 || wcm_crash_install(&options) != WCM_OK ||
	    (!getenv("WHOCALLME_BARE_TABLES") && init_function_table(NULL) != 0))
		return 2;
	dig(40, leaf);
	if (argc > 2)
		run_any(argv[2]);
	else
		run(argv[1]);
	return after;
}
