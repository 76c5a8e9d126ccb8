/* SPDX-License-Identifier: MIT */
/* user_hook.h (SAFE) - the program's own function that is called at every entry. */
#ifndef WCM_SLED_USER_HOOK_H
#define WCM_SLED_USER_HOOK_H

#include "core/unwind/step.h"
#include "whocallme/trace.h"

/* What is called; it stays as it is, for a thread may be about to call it. */
struct wcm_user_hook {
	void (*function)(const struct wcm_entry *entry);
	void *data;
};

/* NULL: there is none. */
extern const struct wcm_user_hook *wcm__user_hook __attribute__((visibility("hidden")));

/* The stack pointer of the entry that the thread's hook is called for; 0: it is in none. */
extern __thread uintptr_t wcm__user_hook_inside
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether an entry whose stack pointer is SP may be called by the hook.  One that is above it
 * has been left by a jump. */
static inline bool wcm__user_hook_may_call(uintptr_t sp)
{
	return __builtin_expect(wcm__user_hook_inside > sp, 0);
}

/* Whether it is, where it may be: the hook is on the stack of AT, in the function entered. */
bool wcm__user_hook_calls(const struct wcm_regs *at);

/* Call it.  Signal-safe as far as the program's function is. */
void wcm__user_hook_call(const struct wcm_user_hook *hook, uintptr_t func, uintptr_t site,
			 uintptr_t sp);

#endif
