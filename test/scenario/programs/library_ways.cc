// SPDX-License-Identifier: MIT
// library_ways.cc - library functions that return twice, elsewhere, in another thread or never,
// or that go by who calls them.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static ucontext_t outside, inside;
static char stack[256 * 1024];

extern "C" void *malloc(size_t size);

static void handler(int) { siglongjmp(back, 2); }

static int throws(const void *, const void *) { throw std::runtime_error("compared"); }

static void jumps()
{
	jmp_buf here;
	volatile int times = 0;
	const int way = setjmp(here);

	printf("setjmp %d %d\n", way, times);
	times = times + 1;
	if (way < 3)
		longjmp(here, way + 1);
	signal(SIGUSR1, handler);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR1);
	printf("sigsetjmp %d\n", times);
}

static void exceptions()
{
	int numbers[] = { 3, 1, 2 };

	for (int i = 0; i < 100; i++)
		try {
			qsort(numbers, 3, sizeof(*numbers), throws);
		} catch (const std::exception &thrown) {
			if (i == 99)
				puts(thrown.what());
		}
}

static void status_of(const char *what, pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	printf("%s %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -status);
	fflush(stdout);
}

static void children()
{
	char *const arguments[] = { strdup("sh"), strdup("-c"), strdup("exit 5"), nullptr };
	pid_t child;

	fflush(stdout);
	if ((child = fork()) == 0)
		exit(3);
	status_of("fork", child);
	if ((child = vfork()) == 0) {
		execvp("sh", arguments);
		_exit(1);
	}
	status_of("vfork", child);
	if (posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ) == 0)
		status_of("posix_spawnp", child);
	printf("system %d\n", WEXITSTATUS(system("exit 4")));
}

static void *quits(void *text)
{
	puts(static_cast<char *>(text));
	pthread_exit(text);
}

static void *waits(void *)
{
	for (;;)
		pause();
}

static void cleans(void *text) { puts(static_cast<char *>(text)); }

static void *cancelled(void *text)
{
	pthread_cleanup_push(cleans, text);
	waits(nullptr);
	pthread_cleanup_pop(0);
	return nullptr;
}

static void threads()
{
	pthread_t one, other;
	void *result;

	pthread_create(&one, nullptr, quits, strdup("thread"));
	pthread_join(one, &result);
	pthread_create(&other, nullptr, cancelled, strdup("cleaned"));
	pthread_cancel(other);
	pthread_join(other, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
}

static void coroutine()
{
	for (int i = 0; i < 3; i++) {
		printf("inside %d\n", i);
		swapcontext(&inside, &outside);
	}
}

static void coroutines()
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&outside, &inside);
		printf("outside %d\n", i);
	}
}

// The library is found by this program's RUNPATH, and RTLD_NEXT is what follows this program.
static void loads()
{
	void *library = dlopen("library_ways_plugin.so", RTLD_NOW);
	int (*called)(int);

	if (!library) {
		puts(dlerror());
		return;
	}
	called = reinterpret_cast<int (*)(int)>(dlsym(library, "plugged"));
	printf("plugged %d\n", called(20));
	printf("closed %d\n", dlclose(library));
	printf("next %d\n", dlsym(RTLD_NEXT, "malloc") != nullptr);
	printf("same %d\n", reinterpret_cast<void *>(malloc) == dlsym(RTLD_DEFAULT, "malloc"));
}

static void said() { puts("at exit"); }

int main()
{
	atexit(said);
	jumps();
	exceptions();
	children();
	threads();
	coroutines();
	loads();
	printf("%d %d %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %Lg\n", 1, 2, 3, 4,
	       5, 6, 7, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.L);
	exit(6);
}
