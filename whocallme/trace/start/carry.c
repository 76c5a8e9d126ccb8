/* SPDX-License-Identifier: MIT */
/* carry.c - makes the environment of a program that this one runs go on with the trace.
 *
 * The environment asks for a trace, and LD_PRELOAD brings the library.  A program that
 * builds an environment from nothing loses both, so both are added to it; a variable that
 * the program sets itself is left as it is.  The values are copied at the start, because
 * a program may overwrite its environment to look different in ps(1).
 */
#include "trace/start/carry.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/environment.h"
#include "format/settings.h"
#include "trace/process/trace_environment.h"
#include "trace/engine/gate.h"

#define OURS "WHOCALLME_"
#define PRELOAD "LD_PRELOAD="

static struct {
	char **variables;    /* those of the environment that are ours */
	size_t count;        /* of them; 0: nothing is to go on */
	char *library;       /* as LD_PRELOAD has it, or NULL */
	uint32_t generation; /* of the trace that the environment asked for; 0: none,
			      * there being nothing to trace in this program */
} carried;

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const char *base_name(const char *path, size_t size)
{
	const char *slash = memrchr(path, '/', size);

	return slash ? slash + 1 : path;
}

/* Where LIST, of LD_PRELOAD, has the file called NAME: *SIZE bytes; NULL: nowhere. */
static const char *listed(const char *list, const char *name, size_t *size)
{
	for (; list && *list; list += *size) {
		const char *base;

		list += strspn(list, ": ");
		*size = strcspn(list, ": ");
		base = base_name(list, *size);
		if (*size > 0 && strlen(name) == (size_t)(list + *size - base) &&
		    begins(base, name))
			return list;
	}
	return NULL;
}

/* Whether an object is the one that this is in; then *DATA is its name. */
static int is_ours(struct dl_phdr_info *info, size_t size, void *data)
{
	const uintptr_t here = (uintptr_t)&carried;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    here - info->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
			*(const char **)data = info->dlpi_name;
			return 1;
		}
	}
	return 0;
}

/* False: no memory. */
static bool keep_library(void)
{
	const char *path = "", *found;
	size_t size;

	dl_iterate_phdr(is_ours, &path);
	found = listed(wcm__environment_of(environ, PRELOAD), base_name(path, strlen(path)),
		       &size);
	carried.library = found ? strndup(found, size) : NULL;
	return carried.library || !found;
}

void wcm__carry_begin(void)
{
	size_t count = 0;

	if (!wcm__trace_is_carried() || !keep_library())
		return;
	for (char **each = environ; each && *each; each++)
		count += begins(*each, OURS);
	carried.variables = calloc(count, sizeof(char *));
	if (!carried.variables)
		return;
	carried.generation = wcm__gate_live();
	for (char **each = environ; *each; each++) {
		if (!begins(*each, OURS))
			continue;
		carried.variables[carried.count] = strdup(*each);
		if (!carried.variables[carried.count++]) {
			carried.count = 0;
			return;
		}
	}
}

/* Whether the trace that was asked for is not over, and ENVP says nothing to end it. */
static bool goes_on(char *const envp[])
{
	const char *trace;

	if (carried.count == 0 || wcm__gate_live() != carried.generation)
		return false;
	trace = wcm__environment_of(envp, wcm__settings[WCM_SET_TRACE].variable);
	return !trace || *trace;
}

/* One that asks for a trace has its own filters, or none. */
static bool lacks(char *const envp[], const char *variable)
{
	return !wcm__environment_of(envp, wcm__settings[WCM_SET_TRACE].variable) &&
	       !wcm__environment_of(envp, variable);
}

static size_t count_lacking(char *const envp[])
{
	size_t count = 0;

	for (size_t i = 0; i < carried.count; i++)
		count += lacks(envp, carried.variables[i]);
	return count;
}

/* The bytes of an LD_PRELOAD with the library in it, or 0: it needs none. */
static size_t preload_size(char *const envp[])
{
	const char *others = wcm__environment_of(envp, PRELOAD);
	size_t size;

	if (!carried.library ||
	    listed(others, base_name(carried.library, strlen(carried.library)), &size))
		return 0;
	return sizeof(PRELOAD) + strlen(carried.library) + 1 +
	       (others ? strlen(others) : 0);
}

static size_t count_all(char *const envp[])
{
	size_t count = 0;

	while (envp && envp[count])
		count++;
	return count;
}

size_t wcm__carry_size(char *const envp[])
{
	size_t lacking, preload;

	if (!goes_on(envp))
		return 0;
	lacking = count_lacking(envp);
	preload = preload_size(envp);
	if (lacking == 0 && preload == 0)
		return 0;
	return (count_all(envp) + lacking + 2) * sizeof(char *) + preload;
}

static void write_preload(char *to, const char *others)
{
	to = stpcpy(stpcpy(to, PRELOAD), carried.library);
	if (others && *others)
		stpcpy(stpcpy(to, ":"), others);
}

char **wcm__carry_make(void *room, char *const envp[])
{
	char **made = room, **to = made;
	const size_t preload = preload_size(envp);

	for (char *const *each = envp; each && *each; each++)
		if (preload == 0 || !begins(*each, PRELOAD))
			*to++ = *each;
	for (size_t i = 0; i < carried.count; i++)
		if (lacks(envp, carried.variables[i]))
			*to++ = carried.variables[i];
	if (preload > 0) {
		/* Behind the pointers, this one and the last. */
		*to = (char *)(to + 2);
		write_preload(*to++, wcm__environment_of(envp, PRELOAD));
	}
	*to = NULL;
	return made;
}
