/* SPDX-License-Identifier: MIT */
/* sleds.h (SAFE) - switches the calls in sleds on and off. */
#ifndef WCM_SLED_SLEDS_H
#define WCM_SLED_SLEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why some sled is no call now. */
enum wcm_sleds_failure {
	WCM_SLEDS_DONE,
	WCM_SLEDS_NO_MEMORY,
	WCM_SLEDS_NO_ROOM,     /* for a jump, within the reach of a call */
	WCM_SLEDS_NOT_HELD,    /* a thread does not stop */
	WCM_SLEDS_NOT_WRITTEN, /* the kernel does not let code be changed */
};

/* For whom.  They are calls as long as anybody wants them to be. */
enum wcm_sleds_wanted { WCM_SLEDS_FOR_TRACE = 1, WCM_SLEDS_FOR_FLIGHT = 2,
			WCM_SLEDS_FOR_HOOK = 4 };

/* What became of switching on. */
struct wcm_sleds_result {
	enum wcm_sleds_failure failure;
	int error; /* an errno, where there is one */
	int tid;   /* that does not stop */
	const char *path; /* of the one module that it is about; NULL: of all, or not known */
	size_t mislisted; /* in the list of a module, where nothing says that a function begins */
	const char *mislisting; /* its path, or NULL */
};

/* From now on TELLER is called where a library that is loaded cannot be switched on, in the
 * thread that loads it, which has the dynamic linker's lock: it does what signal handlers may. */
void wcm__sleds_tell_by(void (*teller)(struct wcm_sleds_result result));

/* From now on CHANGED is called as well where the dynamic linker's list changes, by whoever changes
 * it; NULL: no longer.  Signal-safe. */
void wcm__sleds_also_follow(void (*changed)(void));

/* Have the sleds of all modules call.  What refuses is what it was.  Not async-signal-safe. */
struct wcm_sleds_result wcm__sleds_on(enum wcm_sleds_wanted by);

/* Have all be NOPs again, the very ones of the file, if nobody but BY wants calls.  False: they
 * cannot be now, in a handler that has interrupted a change of them, for one.  Signal-safe. */
bool wcm__sleds_off(enum wcm_sleds_wanted by);

/* Whether any sled may be a call now. */
bool wcm__sleds_are_on(void);

/* link_watch.c: has the dynamic linker tell of what it loads and unloads. */

/* Have the sleds' hook be called, from *PC, when the dynamic linker is about to change its
 * list and when it has.  FD is wcm__code_open()'s.  False: it cannot be had.  One thread at
 * a time, as the next; signal-safe. */
bool wcm__link_watch_begin(int fd, uintptr_t *pc);
void wcm__link_watch_end(int fd);

#endif
