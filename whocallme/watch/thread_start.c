/* SPDX-License-Identifier: MIT */
/* thread_start.c - gives new threads an alternate stack, once one is wanted, and closes their
 * traces as they end, by interposing pthread_create().
 *
 * pthread_create(3) is interposed in the static library, too, where it is weak, so that a program
 * may define its own; thrd_create(3) in the shared libraries only: of that a static program has
 * libc's own, and such a thread gets its stack when it is asked for its frames.
 *
 * The lowest bytes of the alternate stack hold the function and its argument, so that nothing is
 * allocated.  start() copies both before the stack comes into use, and jumps to the function, so
 * that the thread's own stack has no frame of ours.
 */
#include <features.h>

#if defined(PIC) || defined(__GLIBC__) /* PIC: libtool's word for a shared library */

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

#include "core/unwind/stack_span.h"
#include "crash/signals/altstack.h"
#include "load/at_start.h"
#include "trace/engine/tracer_life.h"
#include "watch/interposed.h"

typedef void *routine(void *argument);
typedef int creator(pthread_t *thread, const pthread_attr_t *attributes,
		    routine *run, void *argument);

typedef int c11_creator(thrd_t *thread, thrd_start_t run, void *argument);

struct errand {
	routine *run;     /* of pthread_create(3) */
	thrd_start_t c11; /* or of thrd_create(3) */
	void *argument;
	size_t stack; /* bytes of the stack that libc gives it; 0: not known */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key, is_sanitized;

/* Destructors of thread-specific data run in rounds, while any is set.  In the last
 * round others may run after this one: they, too, may need the stack, which is then
 * found when the thread is gone.  The rounds are counted in the pointer's low bits. */
static void leave_at_last(void *value)
{
	const uintptr_t rounds = (uintptr_t)value % 8;

	_Static_assert(PTHREAD_DESTRUCTOR_ITERATIONS < 8, "rounds fit");
	wcm__tracer_close_calls();
	if (rounds + 1 < PTHREAD_DESTRUCTOR_ITERATIONS &&
	    pthread_setspecific(key, (char *)value + 1) == 0)
		return;
	if (!wcm__altstack_adopt((char *)value - rounds))
		wcm__altstack_leave((char *)value - rounds);
}

/* The address sanitizer gives every thread an alternate stack, and unmaps the one
 * that it finds at the end. */
static void make_ready(void)
{
	wcm__at_first_thread();
	is_sanitized = dlsym(RTLD_DEFAULT, "__asan_init") != NULL;
	have_key = pthread_key_create(&key, leave_at_last) == 0;
}

static struct errand set_out(void *stack)
{
	const struct errand errand = *(const struct errand *)stack;

	if (errand.stack > 0)
		wcm__stack_has(errand.stack);
	wcm__altstack_use(stack);
	if (!have_key || pthread_setspecific(key, stack) != 0)
		wcm__altstack_adopt(stack);
	return errand;
}

static void *start(void *stack)
{
	const struct errand errand = set_out(stack);

	return errand.run(errand.argument);
}

#ifdef PIC
static int start_c11(void *stack)
{
	const struct errand errand = set_out(stack);

	return errand.c11(errand.argument);
}
#else
/* libc.a's pthread_create(3) has another name, too, which nothing takes from it; a shared libc does
 * not say it.  thrd_create(3), which both have, brings it into the program. */
extern creator __pthread_create __attribute__((weak));
__attribute__((used)) static c11_creator *const bringing = thrd_create;
const char wcm__thread_start_is_linked = 1;
#endif

/* The next function NAME behind ours; *FOUND keeps it. */
static void *find_real(const char *name, void **found)
{
	void *real = __atomic_load_n(found, __ATOMIC_RELAXED);

	if (!real) {
		real = dlsym(RTLD_NEXT, name);
		__atomic_store_n(found, real, __ATOMIC_RELAXED);
	}
	return real;
}

static bool is_to_be_armed(void)
{
	if (!wcm__altstack_is_wanted())
		return false;
	pthread_once(&once, make_ready);
	return !is_sanitized;
}

/* What is libc's own of the stack that it makes is at the top, and a guard at the other end. */
static size_t stack_of(const pthread_attr_t *attributes)
{
	enum { LIBCS = 16 * 1024 };
	size_t size = 0, guard = 0;
	void *stack = NULL;

	if (pthread_attr_getstacksize(attributes, &size) != 0 ||
	    pthread_attr_getguardsize(attributes, &guard) != 0 ||
	    (pthread_attr_getstack(attributes, &stack, &size) == 0 && stack &&
	     (uintptr_t)stack + size != 0))
		return 0;
	return size > guard + LIBCS ? size - guard - LIBCS : 0;
}

/* The same of a thread that is begun with ATTRIBUTES, or NULL. */
static size_t stack_to_be(const pthread_attr_t *attributes)
{
	pthread_attr_t usual;
	size_t size;

	if (attributes || pthread_getattr_default_np(&usual) != 0)
		return attributes ? stack_of(attributes) : 0;
	size = stack_of(&usual);
	pthread_attr_destroy(&usual);
	return size;
}

/* A stack with ERRAND at its far end, or NULL: the thread is not to be armed. */
static struct errand *prepare(struct errand errand)
{
	struct errand *stack = is_to_be_armed() ? wcm__altstack_take() : NULL;

	if (stack)
		*stack = errand;
	return stack;
}

WCM_INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			   routine *run, void *argument)
{
	static void *found;
	struct errand *errand;
	creator *real;
	int error;

#ifndef PIC
	if (__pthread_create)
		found = (void *)(uintptr_t)__pthread_create;
#endif
	/* ISO C has no cast from an object's to a function's address. */
	*(void **)&real = find_real("pthread_create", &found);
	if (!real)
		return EAGAIN;
	errand = prepare((struct errand){ .run = run, .argument = argument,
					    .stack = stack_to_be(attributes) });
	if (!errand)
		return real(thread, attributes, run, argument);
	error = real(thread, attributes, start, errand);
	if (error != 0)
		wcm__altstack_give_back(errand);
	return error;
}

#ifdef PIC
WCM_API int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	static void *found;
	struct errand *errand;
	c11_creator *real;
	int result;

	*(void **)&real = find_real("thrd_create", &found);
	if (!real)
		return thrd_error;
	errand = prepare((struct errand){ .c11 = run, .argument = argument,
					    .stack = stack_to_be(NULL) });
	if (!errand)
		return real(thread, run, argument);
	result = real(thread, start_c11, errand);
	if (result != thrd_success)
		wcm__altstack_give_back(errand);
	return result;
}
#endif

#endif
