/* SPDX-License-Identifier: MIT */
/* whocallme/base.h - what every other header needs.  Include <whocallme.h>
 * instead. */
#ifndef WHOCALLME_BASE_H
#define WHOCALLME_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define WCM_BEGIN_DECLS extern "C" {
#define WCM_END_DECLS }
#else
#define WCM_BEGIN_DECLS
#define WCM_END_DECLS
#endif

#define WCM_API __attribute__((visibility("default")))

/* Marks a call that may run in a signal handler (signal-safety(7)): it reads
 * frozen tables and the stack, and nothing else. */
#define WCM_SIGSAFE

WCM_BEGIN_DECLS

/* The answers of calls that can fail.  0 is success; the numbers are part of
 * the ABI and never change their meaning. */
#define WCM_STATUS_MAP(X)                                                  \
	X(OK, 0, "success")                                                \
	X(ENOMEM, -1, "out of memory")                                     \
	X(ENOSYMS, -2, "the module carries no symbols")                    \
	X(EFORMAT, -3, "unsupported or damaged debug data")                \
	X(ENOTOBJECT, -4, "not an object file")                            \
	X(EOPEN, -5, "the file cannot be opened")                          \
	X(ESTALE, -6, "the file on disk does not match what is mapped")    \
	X(ENOMODULE, -7, "no module is loaded at this address")            \
	X(EINVAL, -8, "invalid argument")                                  \
	X(ESYSTEM, -9, "a system call failed")                             \
	X(ENOLINES, -10, "no readable debug data describes this address")  \
	X(EHELPER, -11, "the helper process does not answer")

enum wcm_status {
#define WCM__STATUS(name, value, text) WCM_##name = value,
	WCM_STATUS_MAP(WCM__STATUS)
#undef WCM__STATUS
};

/* STATUS in words: a constant string, never NULL, also for a number that is no
 * status. */
WCM_API WCM_SIGSAFE const char *wcm_status_text(enum wcm_status status);

/* Why this thread's last init_function_table() returned what it did; WCM_OK
 * before the first.  Thread-safe: each thread has its own. */
WCM_API enum wcm_status wcm_status_get(void);

WCM_END_DECLS

#endif
