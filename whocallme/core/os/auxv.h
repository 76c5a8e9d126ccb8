/* SPDX-License-Identifier: MIT */
/* auxv.h (SAFE) - what the kernel told the process at its start.
 *
 * It lies at the top of the first thread's stack, which a program may have unmapped, or
 * written over to its end, by the time it crashes.
 */
#ifndef WCM_OS_AUXV_H
#define WCM_OS_AUXV_H

#include <stdbool.h>
#include <sys/auxv.h>

#include "core/os/attempt.h"
#include "core/os/read.h"
#include "core/os/start_page.h"

enum { WCM_AUXV_TYPES = 64 };

/* By type; one for all files.  The first, AT_NULL, says whether the others are there. */
__attribute__((weak, visibility("hidden"))) unsigned long
	wcm__auxv_kept[WCM_AUXV_TYPES] WCM_START_PAGE = { 0 };

/* What getauxval(3) says, which a program may have put a function of its own in place of: for a
 * process that keeps nothing yet. */
unsigned long wcm__auxv_ask(unsigned long type);

static inline unsigned long wcm__auxv(unsigned long type)
{
	if (__atomic_load_n(&wcm__auxv_kept[AT_NULL], __ATOMIC_ACQUIRE))
		return wcm__auxv_kept[type];
	return wcm__auxv_ask(type);
}

/* The path that the program was started by; empty where it has not been kept. */
enum { WCM_AUXV_PATH = 512 };
__attribute__((weak, visibility("hidden"))) char
	wcm__auxv_kept_path[WCM_AUXV_PATH] WCM_START_PAGE = { 0 };

static inline void wcm__auxv_keep_path(void)
{
	char *const kept = wcm__auxv_kept_path;
	size_t length;

	if (!wcm__read_string(wcm__auxv(AT_EXECFN), kept, WCM_AUXV_PATH, &length))
		kept[0] = '\0';
}

/* Keep all of it for the time when it cannot be read. */
static inline void wcm__auxv_keep(void)
{
	if (__atomic_load_n(&wcm__auxv_kept[AT_NULL], __ATOMIC_ACQUIRE))
		return;
	wcm__auxv_keep_path();
	for (unsigned long type = 1; type < WCM_AUXV_TYPES; type++)
		wcm__auxv_kept[type] = wcm__auxv(type);
	__atomic_store_n(&wcm__auxv_kept[AT_NULL], 1, __ATOMIC_RELEASE);
}

/* That path, as it was kept, or where it can still be read; or NULL. */
static inline const char *wcm__auxv_path(void)
{
	const char *path = (const char *)wcm__auxv(AT_EXECFN);

	if (wcm__auxv_kept_path[0])
		return wcm__auxv_kept_path;
	if (!path || !wcm__can_read_word((uintptr_t)path & ~(sizeof(path) - 1)))
		return NULL;
	return wcm__attempt_is_running() && !wcm__is_string(path) ? NULL : path;
}

#endif
