// SPDX-License-Identifier: MIT
// sampled.cc - stacks of threads at work, taken from a signal handler at any
// instant and held against those of libgcc's unwinder.
//
//	sampled SECONDS [PLUGIN...]
//
// Prints how many samples there were, how many frames, how many differed.  libgcc
// faults on registers that are half another frame's: so nothing throws, and
// swapcontext(3) is left alone.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <alloca.h>
#include <csetjmp>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <whocallme.h>

#define NOINLINE __attribute__((noinline))
#define KEEP() __asm__ volatile("" ::: "memory")

namespace {

enum { MOST = 200, SHOWN = 5 };

std::atomic<unsigned long> samples, frames_seen, guessed, differences;
std::atomic<bool> over;
std::mutex shared_lock;
thread_local timer_t timer;
thread_local bool has_timer;
thread_local unsigned state;
volatile long sink;
uintptr_t swapping; // the code of swapcontext(3)

// One shot, after up to 32 microseconds: a period would beat with the work's.
void sample_soon()
{
	itimerspec once = {};

	state = state * 1103515245 + 12345;
	once.it_value.tv_nsec = 500 + (state >> 8) % 32000;
	timer_settime(timer, 0, &once, nullptr);
}

void show(const char *whose, const uintptr_t *pcs, size_t count)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%s", whose);

	for (size_t i = 0; i < count; i++) {
		write(STDOUT_FILENO, line, length);
		length = snprintf(line, sizeof(line), " %lx",
				  static_cast<unsigned long>(pcs[i]));
	}
	write(STDOUT_FILENO, line, length);
	write(STDOUT_FILENO, "\n", 1);
}

// Nobody describes all of crt's functions and of the linkers' stubs: sub $8,%rsp, lea x(%rip),%rdi,
// or ret; endbr64, where indirect calls lead; jmp *x(%rip), or push and jmp.
bool is_plain(uintptr_t pc)
{
	const auto *code = reinterpret_cast<const unsigned char *>(pc);

	return (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) ||
	       (code[0] == 0x48 && code[1] == 0x8d && code[2] == 0x3d) ||
	       (code[0] == 0xf3 && code[1] == 0xf && code[2] == 0x1e && code[3] == 0xfa) ||
	       code[0] == 0xc3 || (code[0] == 0xff && code[1] == 0x25) ||
	       (code[0] == 0x68 && code[5] == 0xe9);
}

// Code without call frame information is where libgcc ends, and we may guess; where
// the stack is that of a call we know.
bool agree(const wcm_frame *ours, size_t count, const uintptr_t *theirs,
	   size_t their_count)
{
	for (size_t i = 0; i < count && i < their_count; i++)
		if (ours[i].pc != theirs[i])
			return false;
	if (count > their_count && (ours[their_count].flags & WCM_FRAME_GUESSED)) {
		guessed++;
		return true;
	}
	return count == their_count ||
	       (count > their_count && their_count == 1 && is_plain(theirs[0]));
}

void compare(const wcm_frame *ours, size_t count, void *const *oracle,
	     size_t oracle_count, uintptr_t pc)
{
	uintptr_t theirs[MOST], mine[MOST];
	size_t from = 0;

	while (from < oracle_count && reinterpret_cast<uintptr_t>(oracle[from]) != pc)
		from++;
	for (size_t i = from; i < oracle_count; i++)
		theirs[i - from] = reinterpret_cast<uintptr_t>(oracle[i]);
	samples++;
	frames_seen += count;
	if (agree(ours, count, theirs, oracle_count - from) ||
	    differences++ >= SHOWN)
		return;
	for (size_t i = 0; i < count; i++)
		mine[i] = ours[i].pc;
	show("ours  ", mine, count);
	show("theirs", theirs, oracle_count - from);
}

// What the handler's own stack shows below the signal.
size_t below_signal(wcm_frame *frames)
{
	size_t count = wcm_stack_capture(frames, MOST, 0, nullptr), at = 0;

	while (at < count && !(frames[at].flags & WCM_FRAME_SIGNAL))
		at++;
	if (at == count)
		return 0;
	std::copy(frames + at + 1, frames + count, frames);
	return count - at - 1;
}

void take_sample(const void *context, uintptr_t pc)
{
	wcm_frame ours[MOST];
	void *oracle[MOST];
	const int oracle_count = backtrace(oracle, MOST);

	if (oracle_count < MOST) {
		compare(ours, wcm_stack_capture_from(context, ours, MOST, 0, nullptr),
			oracle, oracle_count, pc);
		compare(ours, below_signal(ours), oracle, oracle_count, pc);
	}
}

void on_sample(int, siginfo_t *, void *context)
{
	enum { SWAPPING = 512 };
	const auto *state = static_cast<ucontext_t *>(context);
#ifdef __i386__
	const uintptr_t pc = state->uc_mcontext.gregs[REG_EIP];
#else
	const uintptr_t pc = state->uc_mcontext.gregs[REG_RIP];
#endif
	const int saved = errno;

	if (pc - swapping >= SWAPPING)
		take_sample(context, pc);
	if (has_timer)
		sample_soon();
	errno = saved;
}

void start_samples()
{
	sigevent event = {};

	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGPROF;
	event._sigev_un._tid = gettid();
	state = event._sigev_un._tid;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	has_timer = true;
	sample_soon();
}

void stop_samples()
{
	has_timer = false;
	timer_delete(timer);
}

NOINLINE int recurse(int depth)
{
	char *bytes = static_cast<char *>(alloca(depth * 8 + 1));

	memset(bytes, depth, depth * 8 + 1);
	return depth ? recurse(depth - 1) + bytes[depth] : 0;
}

NOINLINE int realigned(int size)
{
	alignas(64) volatile char bytes[128];
	volatile char *more = static_cast<char *>(alloca(size));

	more[0] = bytes[0] = static_cast<char>(size);
	return recurse(3) + more[0] + bytes[0];
}

int compare_ints(const void *a, const void *b)
{
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

NOINLINE void sorts()
{
	std::vector<int> many(200);
	std::minstd_rand random(many.size());

	for (auto &number : many)
		number = static_cast<int>(random());
	std::sort(many.begin(), many.end(), [](int a, int b) { return a > b; });
	qsort(many.data(), many.size(), sizeof(int), compare_ints);
	sink += many[0];
}

NOINLINE void texts()
{
	std::map<std::string, double> map;
	std::ostringstream stream;
	char text[200];

	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%d %s %.9g", i, "text", i / 7.0);
		map[text] = strtod(text + 2, nullptr);
	}
	for (const auto &entry : map)
		stream << entry.first << entry.second;
	sink += stream.str().size();
}

NOINLINE void leap(jmp_buf place, int depth)
{
	if (depth == 0)
		longjmp(place, 1);
	leap(place, depth - 1);
	KEEP();
}

NOINLINE void jumps()
{
	jmp_buf place;

	if (setjmp(place) == 0)
		leap(place, 4);
	KEEP();
}

NOINLINE void memory()
{
	static thread_local char from[70000], to[70000];

	for (size_t size = 1; size < sizeof(from); size *= 3) {
		memcpy(to, from, size);
		memmove(to + 1, to, size - 1);
		sink += memcmp(to, from, size) + strlen(to);
		free(realloc(malloc(size), size * 2));
	}
}

NOINLINE void system_calls()
{
	timespec now;

	for (int i = 0; i < 20; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink += syscall(SYS_getppid) + now.tv_nsec + time(nullptr);
		std::lock_guard<std::mutex> guard(shared_lock);
		sched_yield();
	}
}

thread_local ucontext_t outside, inside;

void coroutine()
{
	for (;;) {
		recurse(5);
		swapcontext(&inside, &outside);
		sorts();
		swapcontext(&inside, &outside);
	}
}

NOINLINE void coroutines()
{
	static thread_local char stack[128 * 1024];

	if (!inside.uc_stack.ss_sp) {
		getcontext(&inside);
		inside.uc_stack.ss_sp = stack;
		inside.uc_stack.ss_size = sizeof(stack);
		makecontext(&inside, coroutine, 0);
	}
	for (int i = 0; i < 10; i++)
		swapcontext(&outside, &inside);
}

struct AtThreadEnd {
	~AtThreadEnd()
	{
		texts();
		stop_samples();
	}
	int used = 0;
};
thread_local AtThreadEnd at_thread_end;

NOINLINE void threads()
{
	std::thread thread([] {
		at_thread_end.used = 1;
		start_samples();
		sorts();
	});

	thread.join();
}

// Modules of which the one takes the other's place.
void plugins(char **paths, int count)
{
	for (int i = 0; i < count; i++) {
		void *module = dlopen(paths[i], RTLD_LAZY);
		auto *run = reinterpret_cast<void (*)(void (*)())>(
			module ? dlsym(module, "plugin_runs") : nullptr);

		if (!run)
			abort();
		run(memory);
		dlclose(module);
	}
}

void work(char **paths, int count)
{
	void (*const works[])() = { sorts, texts, jumps, memory,
				    system_calls, coroutines, threads };

	start_samples();
	while (!over) {
		for (auto *each : works)
			each();
		sink += realigned(100);
		plugins(paths, count);
	}
	stop_samples();
}

} // namespace

int main(int argc, char *argv[])
{
	struct sigaction action = {};
	std::vector<std::thread> threads;
	void *warm[4];

	if (argc < 2)
		return 2;
	backtrace(warm, 4);
	swapping = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "swapcontext"));
	action.sa_sigaction = on_sample;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGPROF, &action, nullptr);
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, argv + 2, i == 0 ? argc - 2 : 0);
	usleep(atof(argv[1]) * 500000);
	for (int i = 0; i < 100; i++) {
		init_function_table(argv[0]);
		usleep(atof(argv[1]) * 5000);
	}
	over = true;
	for (auto &thread : threads)
		thread.join();
	printf("samples %lu frames %lu guessed %lu differences %lu\n",
	       samples.load(), frames_seen.load(), guessed.load(),
	       differences.load());
	return samples < 1000 || differences > 0;
}
