/* SPDX-License-Identifier: MIT */
/* test_altstack.c - every thread has a stack left to report its crash from, old
 * and new, to its last destructor; and none is left when it has ended. */
#include "crash/signals/altstack.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "crash/threads/threads.h"
#include "support/check.h"
#include "whocallme/crash.h"

enum { LEAST = 64 * 1024 };

static stack_t current(void)
{
	stack_t stack;

	CHECK_EQ(sigaltstack(NULL, &stack), 0);
	return stack;
}

static bool is_armed(void)
{
	stack_t stack = current();

	return !(stack.ss_flags & SS_DISABLE) && stack.ss_size >= LEAST;
}

static void *run(void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	void *result;

	CHECK_EQ(pthread_create(&thread, NULL, routine, argument), 0);
	CHECK_EQ(pthread_join(thread, &result), 0);
	return result;
}

static void *armed(void *argument)
{
	(void)argument;
	return (void *)(uintptr_t)is_armed();
}

TEST(nobody_is_armed_unasked)
{
	CHECK(run(armed, NULL) == NULL);
}

static int began;
/* GCC 12 with UBSan loads a volatile bool once. */
static volatile int may_end;

static void *armed_at_last(void *argument)
{
	__atomic_add_fetch(&began, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		usleep(1000);
	return armed(argument);
}

static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int count = 0, byte;

	CHECK(maps != NULL);
	while ((byte = fgetc(maps)) != EOF)
		count += byte == '\n';
	fclose(maps);
	return count;
}

/* Has its own, to the end. */
static void *own(void *size)
{
	stack_t stack = { .ss_sp = malloc((size_t)size),
			  .ss_size = (size_t)size };
	bool kept;

	sigaltstack(&stack, NULL);
	__atomic_add_fetch(&began, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		usleep(1000);
	kept = current().ss_sp == stack.ss_sp;
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return (void *)(uintptr_t)kept;
}

TEST(old_threads_are_armed)
{
	pthread_t thread[3];
	void *result[3];
	int mappings = 0;

	may_end = false;
	pthread_create(&thread[0], NULL, armed_at_last, NULL);
	pthread_create(&thread[1], NULL, own, (void *)(1024 * 1024));
	pthread_create(&thread[2], NULL, own, (void *)(16 * 1024));
	while (__atomic_load_n(&began, __ATOMIC_SEQ_CST) < 3)
		sched_yield();
	for (int i = 0; i < 20; i++) {
		wcm__threads_arm();
		if (i == 0)
			mappings = count_mappings();
	}
	CHECK(count_mappings() <= mappings);
	may_end = true;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], &result[i]);
	CHECK(result[0] != NULL);
	CHECK(result[1] != NULL); /* a larger one */
	CHECK(is_armed());
}

TEST(new_threads_are_armed)
{
	CHECK(run(armed, NULL) != NULL);
}

static int armed_c11(void *argument)
{
	return is_armed() ? *(int *)argument : 0;
}

TEST(new_threads_of_c11_are_armed)
{
	int given = 77, result;
	thrd_t thread;

	CHECK_EQ(thrd_create(&thread, armed_c11, &given), thrd_success);
	CHECK_EQ(thrd_join(thread, &result), thrd_success);
	CHECK_EQ(result, 77);
}

TEST(below_it_is_a_guard)
{
	char *stack = wcm__altstack_take();
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	stack[0] = stack[LEAST - 1] = 1;
	CHECK_EQ(write(ends[1], stack, 1), 1);
	CHECK_EQ(write(ends[1], stack - 1, 1), -1);
	close(ends[0]);
	close(ends[1]);
	wcm__altstack_give_back(stack);
}

static void *give_back(void *argument)
{
	return argument;
}

static void *leave(void *argument)
{
	pthread_exit(argument);
}

static void *wait_for_ever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

TEST(threads_end_as_they_like)
{
	pthread_t thread;
	void *result;
	int here;

	CHECK(run(give_back, &here) == &here);
	CHECK(run(leave, &here) == &here);
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	CHECK(result == PTHREAD_CANCELED);
}

static void *stack_size(void *argument)
{
	pthread_attr_t attributes;
	size_t size;
	int detached;

	(void)argument;
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstacksize(&attributes, &size);
	pthread_attr_getdetachstate(&attributes, &detached);
	pthread_attr_destroy(&attributes);
	__atomic_store_n(&began, detached ? -1 : 0, __ATOMIC_SEQ_CST);
	return (void *)size;
}

TEST(attributes_are_kept)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *size;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 3 * LEAST);
	pthread_create(&thread, &attributes, stack_size, NULL);
	pthread_join(thread, &size);
	CHECK_EQ((size_t)size, 3 * LEAST);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	CHECK_EQ(pthread_create(&thread, &attributes, stack_size, NULL), 0);
	while (__atomic_load_n(&began, __ATOMIC_SEQ_CST) != -1)
		sched_yield();
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	CHECK_EQ(pthread_create(&thread, &attributes, give_back, NULL), 0);
	pthread_attr_destroy(&attributes);
}

TEST(what_fails_fails_as_before)
{
	pthread_attr_t attributes;
	struct sched_param parameters = { .sched_priority = 50 };
	struct rlimit none = { 0, 0 };
	pthread_t thread;
	pid_t child = fork();
	int status;

	if (child == 0) {
		setrlimit(RLIMIT_RTPRIO, &none);
		if (setresuid(65534, 65534, 65534) != 0)
			_exit(0);
		pthread_attr_init(&attributes);
		pthread_attr_setinheritsched(&attributes,
					     PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
		pthread_attr_setschedparam(&attributes, &parameters);
		_exit(pthread_create(&thread, &attributes, give_back, NULL) == 0);
	}
	waitpid(child, &status, 0);
	CHECK_EQ(status, 0);
}

static pthread_key_t key;
static int rounds, armed_rounds;

static void destroy(void *value)
{
	rounds++;
	armed_rounds += is_armed();
	pthread_setspecific(key, value);
}

static void *destroyed(void *argument)
{
	pthread_setspecific(key, &key);
	return argument;
}

TEST(armed_in_every_destructor_but_the_last_round)
{
	CHECK_EQ(pthread_key_create(&key, destroy), 0);
	run(destroyed, NULL);
	CHECK_EQ(rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
	CHECK(armed_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS - 1);
}

/* What each left would be a mapping and its guard, for the first thousand.  A thread that ends
 * slowly, as an emulator's does, has its stack while others begin: a few more, once. */
TEST(ten_thousand_threads_leave_nothing)
{
	enum { FEW = 32 };
	int before, after;

	for (int i = 0; i < 100; i++)
		run(armed, NULL);
	before = count_mappings();
	for (int i = 0; i < 10000; i++)
		CHECK(run(armed, NULL) != NULL);
	after = count_mappings();
	CHECK(after <= before + FEW);
}

/* As one that was created before anything was wanted. */
static void *arm_late(void *argument)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&none, NULL);
	wcm__altstack_arm();
	return armed(argument);
}

TEST(old_threads_leave_nothing)
{
	int before = 0;

	for (int i = 0; i < 600; i++) {
		CHECK(run(arm_late, NULL) != NULL);
		if (i == 100)
			before = count_mappings();
	}
	/* They are looked for now and then; 500 have gone meanwhile. */
	CHECK(count_mappings() <= before + 200);
}

enum { TOGETHER = 100 };
static char *stacks[TOGETHER];

static void *tell_stack(void *number)
{
	stacks[(uintptr_t)number] = current().ss_sp;
	__atomic_add_fetch(&began, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		usleep(1000);
	return NULL;
}

TEST(no_two_share_one)
{
	pthread_t thread[TOGETHER];

	began = 0;
	may_end = false;
	for (uintptr_t i = 0; i < TOGETHER; i++)
		pthread_create(&thread[i], NULL, tell_stack, (void *)i);
	while (__atomic_load_n(&began, __ATOMIC_SEQ_CST) < TOGETHER)
		sched_yield();
	may_end = true;
	for (int i = 0; i < TOGETHER; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < TOGETHER; i++)
		for (int j = 0; j < i; j++)
			CHECK(stacks[i] != stacks[j]);
}

/* What dies in a child, and is to be reported. */

static volatile int sink;
static volatile int may_die;

static int __attribute__((noinline)) recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = *above;
	return may_die ? recurse(here) + here[0] : 0;
}

static void *overflow(void *argument)
{
	volatile char start = 0;

	__atomic_add_fetch(&began, 1, __ATOMIC_SEQ_CST);
	while (!may_die)
		usleep(1000);
	sink = recurse(&start);
	return argument;
}

static void overflow_new(void)
{
	wcm_crash_install(NULL);
	wcm__threads_arm();
	may_die = true;
	run(overflow, NULL);
}

static void overflow_old(void)
{
	pthread_t thread;

	began = 0;
	/* Behind the back of what is interposed. */
	pthread_create(&thread, NULL, overflow, NULL);
	while (!__atomic_load_n(&began, __ATOMIC_SEQ_CST))
		sched_yield();
	wcm_crash_install(NULL);
	wcm__threads_arm();
	may_die = true;
	pthread_join(thread, NULL);
}

static void overflow_in_destructor(void *value)
{
	overflow(value);
}

static void overflow_late(void)
{
	wcm_crash_install(NULL);
	wcm__threads_arm();
	may_die = true;
	CHECK_EQ(pthread_key_create(&key, overflow_in_destructor), 0);
	run(destroyed, NULL);
}

static void check_reported(void (*die)(void))
{
	static char report[65536];
	const struct rlimit none = { 0, 0 };
	size_t used = 0;
	ssize_t got;
	int ends[2], status;
	pid_t child;

	CHECK_EQ(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGSEGV, SIG_DFL); /* cmocka has it */
		dup2(ends[1], STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO); /* an emulator has its last words there */
		alarm(30);
		die();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], report + used, sizeof(report) - 1 - used)) > 0)
		used += (size_t)got;
	close(ends[0]);
	report[used] = '\0';
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	CHECK(strstr(report, "SIGSEGV") != NULL);
	CHECK(strstr(report, "\n#1 ") != NULL);
}

/* Runs before anything is wanted: its thread is an old one. */
TEST(an_old_thread_overflows)
{
	check_reported(overflow_old);
}

TEST(a_new_thread_overflows)
{
	check_reported(overflow_new);
	check_reported(overflow_late);
}

RUN(nobody_is_armed_unasked, an_old_thread_overflows, old_threads_are_armed,
    new_threads_are_armed, new_threads_of_c11_are_armed, below_it_is_a_guard,
    threads_end_as_they_like, attributes_are_kept, what_fails_fails_as_before,
    armed_in_every_destructor_but_the_last_round,
    ten_thousand_threads_leave_nothing, old_threads_leave_nothing,
    no_two_share_one, a_new_thread_overflows)
