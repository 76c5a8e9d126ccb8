/* SPDX-License-Identifier: MIT */
/* user_hook.c - calls the program's own function at an entry.
 *
 * All registers are kept by who calls this, and errno is here.  What the function calls is
 * neither traced nor told to it: it would call itself for ever.
 */
#include "trace/source/sled/user_hook.h"

#include <errno.h>
#include <stddef.h>

const struct wcm_user_hook *wcm__user_hook;

__thread uintptr_t wcm__user_hook_inside __attribute__((tls_model("initial-exec")));

void wcm__user_hook_call(const struct wcm_user_hook *hook, uintptr_t func, uintptr_t site,
			 uintptr_t sp)
{
	const struct wcm_entry entry = { .func = func, .site = site, .sp = sp,
					 .data = hook->data };
	const uintptr_t outer = wcm__user_hook_inside;
	const int error = errno;

	wcm__user_hook_inside = sp;
	hook->function(&entry);
	wcm__user_hook_inside = outer;
	errno = error;
}
