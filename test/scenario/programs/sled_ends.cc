// SPDX-License-Identifier: MIT
// sled_ends.cc - functions that are left in every way there is, and what stacks look like in
// them.
//
//	sled_ends ways		each way to leave a function
//	sled_ends stacks	the stack by glibc, by libgcc and by the library
//	sled_ends crash		crashes in four of them
//	sled_ends deep N	N calls deep
//	sled_ends wait		one that takes 20 milliseconds
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <whocallme.h>

#ifdef __clang__
#define OUTLINE extern "C" __attribute__((noinline))
#else
#define OUTLINE extern "C" __attribute__((noipa))
#endif

static jmp_buf back;
static ucontext_t outside, inside;
static char stack[256 * 1024];
static volatile int kept;

OUTLINE void leaf(int x) { kept = x; }
struct guard { ~guard() { leaf(7); } };

// The ways.
OUTLINE void throws(int x) { leaf(x); throw std::runtime_error("thrown"); }
OUTLINE void jumps(int x) { leaf(x); longjmp(back, 1); }
OUTLINE void raises(int x) { leaf(x); raise(SIGUSR1); leaf(x); }
OUTLINE void handles(int) { leaf(3); }
OUTLINE int last(int x) { kept = x; return x + 1; }
OUTLINE int jumped_to(int x) { kept = x; return last(x + 1); }
OUTLINE void leaves(void) { leaf(1); pthread_exit(nullptr); }
OUTLINE int returns(int x) { leaf(x); return x; }

OUTLINE void passes(void (*way)(int), int x)
{
	guard g;
	way(x);
	leaf(x);
}

OUTLINE void catches(int x)
{
	try {
		passes(throws, x);
	} catch (const std::exception &) {
		leaf(8);
	}
	leaf(9);
}

OUTLINE void comes_back(int x)
{
	if (!setjmp(back))
		jumps(x);
	leaf(9);
}

OUTLINE void in_coroutine(void)
{
	leaf(1);
	swapcontext(&inside, &outside);
	catches(2);
	leaf(3);
}

OUTLINE void has_coroutine(void)
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, in_coroutine, 0);
	swapcontext(&outside, &inside);
	returns(4);
	swapcontext(&outside, &inside);
	leaf(5);
}

OUTLINE void *thread(void *way)
{
	for (int i = 0; i < 3; i++)
		catches(i);
	if (way)
		leaves();
	leaf(2);
	return way;
}

OUTLINE void has_threads(void)
{
	pthread_t one;

	for (int i = 0; i < 2; i++) {
		pthread_create(&one, nullptr, thread, i ? stack : nullptr);
		pthread_join(one, nullptr);
	}
	leaf(4);
}

OUTLINE void ways(void)
{
	signal(SIGUSR1, handles);
	catches(1);
	comes_back(2);
	raises(3);
	jumped_to(4);
	has_coroutine();
	has_threads();
	if (fork() == 0)
		_exit(kept == 4);
	int status;
	wait(&status);
	std::printf("%d, %d\n", kept, WEXITSTATUS(status));
}

// The stacks: names of functions, trampolines left out.
static void show(const char *which, void *address)
{
	Dl_info info;

	if (dladdr(address, &info) && info.dli_sname && *info.dli_sname != '_')
		std::printf("%s %s\n", which, info.dli_sname);
}

static _Unwind_Reason_Code show_frame(struct _Unwind_Context *context, void *)
{
	show("libgcc", (void *)(_Unwind_GetIP(context) - 1));
	return _URC_NO_REASON;
}

OUTLINE int innermost(int x)
{
	struct wcm_frame frames[64];
	void *addresses[64];
	const int count = backtrace(addresses, 64);
	const size_t own = wcm_stack_capture(frames, 64, 0, nullptr);

	for (int i = 0; i < count; i++)
		show("glibc", (char *)addresses[i] - 1);
	_Unwind_Backtrace(show_frame, nullptr);
	for (size_t i = 0; i < own; i++)
		show("whocallme", (char *)frames[i].pc - 1);
	if (x < 0)
		*(volatile int *)8 = 0;
	return x;
}

OUTLINE int with_array(int x)
{
	volatile char array[64 + 16 * (x & 1)]; // the frame pointer is needed

	array[0] = 1;
	return innermost(x) + array[0];
}

OUTLINE int without(int x) { return with_array(x) + 1; }
OUTLINE int middle(int x) { return without(x) + 1; }
OUTLINE int deep(int n) { return n > 0 ? deep(n - 1) + kept : 0; }
OUTLINE void waits(void) { leaf(1); usleep(20000); leaf(2); }

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "ways";

	if (std::strcmp(what, "ways") == 0)
		ways();
	else if (std::strcmp(what, "deep") == 0)
		kept = 1, std::printf("%d\n", deep(std::atoi(argv[2])));
	else if (std::strcmp(what, "wait") == 0)
		waits();
	else
		middle(std::strcmp(what, "crash") == 0 ? -1 : 1);
	return 0;
}
