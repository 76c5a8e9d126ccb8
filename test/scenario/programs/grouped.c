/* SPDX-License-Identifier: MIT */
/* grouped.c - the same crash and others, by several ways: grouped DEATH. */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static volatile int *volatile null, other;

ALWAYS_INLINE void innermost(void)
{
	*null = 1; /* the fault */
}

ALWAYS_INLINE void middle(void)
{
	innermost(); /* the first call */
	other = 2;
}

KEPT static void by_null(void)
{
	middle(); /* the second call */
	other = 3;
}

KEPT static void by_abort(void)
{
	abort();
}

KEPT static void by_assert(void)
{
	assert(other == 1);
}

KEPT static void by_raise(void)
{
	raise(SIGSEGV);
	other = 4;
}

KEPT static void on_usr1(int signal)
{
	by_null();
	other = signal;
}

KEPT static void in_handler(void)
{
	signal(SIGUSR1, on_usr1);
	raise(SIGUSR1);
	other = 5;
}

static const struct {
	const char *name;
	void (*die)(void);
} deaths[] = {
	{ "null", by_null },   { "abort", by_abort },	  { "assert", by_assert },
	{ "raise", by_raise }, { "handler", in_handler },
};

int main(int argc, char *argv[])
{
	for (unsigned i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (argc > 1 && strcmp(deaths[i].name, argv[1]) == 0)
			deaths[i].die();
	return other & 1;
}
