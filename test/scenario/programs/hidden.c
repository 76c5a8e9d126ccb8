/* SPDX-License-Identifier: MIT */
/* hidden.c - calls from behind a library, and from behind a function that has no
 * code, as undefined behaviour makes one.  Marked for gdb to judge. */
#include <dlfcn.h>
#include <stdlib.h>

#include "corpus/mark.h"

#ifdef LIBRARY

void library_calls(void (*function)(void));

NOINLINE static void inner(void (*function)(void))
{
	volatile char bytes[200];

	bytes[0] = 1;
	function();
	KEEP();
}

void library_calls(void (*function)(void))
{
	volatile char bytes[100];

	bytes[0] = 1;
	inner(function);
	KEEP();
}

#else

int no_code(void);
void behind_no_code(void);
static const char *library;

/* The linker puts what follows it at its address. */
NOINLINE int no_code(void)
{
	__builtin_unreachable();
}

NOINLINE void behind_no_code(void)
{
	mark("no code");
	KEEP();
}

static void called(void)
{
	mark("called by a library");
	KEEP();
}

NOINLINE static void scenes(void)
{
	void *module = library ? dlopen(library, RTLD_NOW) : NULL;

	behind_no_code();
	if (module)
		((void (*)(void (*)(void)))dlsym(module, "library_calls"))(called);
	KEEP();
}

int main(int argc, char *argv[])
{
	if (argc > 1)
		library = argv[1];
	run_rounds(scenes);
	return argc < 3 ? 0 : no_code();
}

#endif
