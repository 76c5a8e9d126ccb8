/* SPDX-License-Identifier: MIT */
/* threads.c - threads that start, wait for each other, take signals on stacks of
 * their own, jump, and end in every way: return, exit, cancellation. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { WORKERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int turn;
static __thread jmp_buf place;
static __thread volatile int sink;

static NOINLINE int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void sort(void)
{
	int number[16];

	for (int i = 0; i < 16; i++)
		number[i] = i * 7919 % 101;
	qsort(number, 16, sizeof(*number), compare);
}

static NOINLINE void leap(int depth)
{
	if (depth == 0)
		longjmp(place, 1);
	leap(depth - 1);
	sink++;
}

static NOINLINE void on_signal(int number)
{
	sink += fibonacci(number % 4);
}

static NOINLINE void on_leaving_signal(int number)
{
	leap(number % 3);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = flags | SA_NODEFER };

	sigaction(number, &action, NULL);
}

static void make_key(void)
{
	pthread_key_create(&key, free);
}

/* Each in its turn: all but one wait. */
static NOINLINE void take_turns(int self)
{
	for (int round = 0; round < 3; round++) {
		pthread_mutex_lock(&lock);
		while (turn % WORKERS != self)
			pthread_cond_wait(&changed, &lock);
		turn++;
		sort();
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
}

static NOINLINE void *work(void *argument)
{
	int self = *(int *)argument;
	char *alternate = malloc(64 << 10);
	stack_t stack = { .ss_sp = alternate, .ss_size = 64 << 10 };

	pthread_once(&once, make_key);
	pthread_setspecific(key, malloc(10));
	sigaltstack(&stack, NULL);
	pthread_barrier_wait(&barrier);
	take_turns(self);
	pthread_kill(pthread_self(), SIGUSR1);
	raise(SIGUSR2);
	if (setjmp(place) == 0)
		raise(SIGTERM);
	if (setjmp(place) == 0)
		leap(self + 2);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(alternate);
	pthread_barrier_wait(&barrier);
	if (self == 1)
		pthread_exit(NULL);
	return NULL;
}

static NOINLINE void cleanup(void *argument)
{
	*(int *)argument = fibonacci(2);
}

/* Until it is cancelled, in a system call or in the midst of its work. */
static NOINLINE void *wait_for_end(void *argument)
{
	volatile int cleaned = 0;

	pthread_cleanup_push(cleanup, (void *)&cleaned);
	pthread_barrier_wait(&barrier); /* not to be cancelled in there */
	if (argument)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		if (argument)
			sink += fibonacci(3);
		else
			pause();
	pthread_cleanup_pop(1);
	return NULL;
}

static NOINLINE void cancel(void *argument)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_for_end, argument);
	pthread_barrier_wait(&barrier);
	pthread_kill(thread, SIGUSR1);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	static int number[WORKERS];
	pthread_t thread[WORKERS];

	handle(SIGUSR1, on_signal, SA_RESTART);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	handle(SIGTERM, on_leaving_signal, 0);
	pthread_barrier_init(&barrier, NULL, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, work, &number[i]);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
	cancel(NULL);
	cancel(&barrier);
	return 0;
}
