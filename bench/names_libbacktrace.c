/* SPDX-License-Identifier: MIT */
/* names_libbacktrace.c - libbacktrace, on a file.
 *
 * It reads the running program and every module; the name of another file in
 * place of the program's works where the program has no load bias, and the
 * modules are none, so this program is static and at fixed addresses.
 */
#include "names.h"

#include <backtrace.h>
#include <stddef.h>

static struct backtrace_state *state;

const bool names_can_find = true;

static void ignore_error(void *data, const char *message, int number)
{
	(void)data, (void)message, (void)number;
}

static void keep_name(void *data, uintptr_t pc, const char *name,
		      uintptr_t value, uintptr_t size)
{
	(void)pc, (void)value, (void)size;
	*(const char **)data = name;
}

const char *names_find(uint64_t address)
{
	const char *name = NULL;

	backtrace_syminfo(state, address, keep_name, ignore_error, &name);
	return name;
}

bool names_load(const char *path, uint64_t first)
{
	state = backtrace_create_state(path, 0, ignore_error, NULL);
	return state && names_find(first);
}
