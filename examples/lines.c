/* SPDX-License-Identifier: MIT */
/* lines.c - source lines, and the functions that were inlined.  Build with -g. */
#include <stdio.h>
#include <whocallme.h>

/* The functions whose code returns to ADDRESS, innermost first. */
static void print_places(uintptr_t address)
{
	struct wcm_sources *sources;
	enum wcm_status status = wcm_symbol_resolve(address - 1, &sources);

	printf("%s\n", wcm_status_text(status));
	for (size_t i = 0; status == WCM_OK && i < sources->count; i++)
		printf("%s at %s:%u\n", sources->source[i].function,
		       sources->source[i].file, sources->source[i].line);
	wcm_sources_free(sources);
}

static __attribute__((noinline)) void inner(void)
{
	who_call_me();
	full_backtrace();
	print_places((uintptr_t)__builtin_return_address(0));
}

static inline __attribute__((always_inline)) void outer(void)
{
	inner();
}

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	wcm_lines_start(NULL);
	outer();
	return argc == 0;
}
