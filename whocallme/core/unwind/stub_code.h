/* SPDX-License-Identifier: MIT */
/* stub_code.h (SAFE) - knows code of this library's making, which is in no module. */
#ifndef WCM_UNWIND_STUB_CODE_H
#define WCM_UNWIND_STUB_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_stub_code {
	const struct wcm_stub_code *next;
	uintptr_t lo, hi;
};

extern const struct wcm_stub_code *wcm__stub_code __attribute__((visibility("hidden")));

/* CODE is such code, for good.  One thread at a time; signal-safe. */
static inline void wcm__stub_code_add(struct wcm_stub_code *code)
{
	code->next = wcm__stub_code;
	__atomic_store_n(&wcm__stub_code, code, __ATOMIC_RELEASE);
}

/* Whether PC is in such: the return address is on top of the stack. */
static inline bool wcm__stub_code_holds(uintptr_t pc)
{
	const struct wcm_stub_code *code = __atomic_load_n(&wcm__stub_code, __ATOMIC_ACQUIRE);

	while (code && pc - code->lo >= code->hi - code->lo)
		code = code->next;
	return code;
}

#endif
