/* SPDX-License-Identifier: MIT */
/* generic/library_stub.h (SAFE) - a CPU whose calls into libraries are not traced. */
#ifndef WCM_ARCH_LIBRARY_STUB_H
#define WCM_ARCH_LIBRARY_STUB_H

#include <stdbool.h>
#include <stdint.h>

enum { WCM_LIBRARY_STUB = 0, WCM_LIBRARY_STUB_RETURNS = 0 };
enum { WCM_RELOCATES_CALLED = UINT32_MAX, WCM_RELOCATES_TAKEN = UINT32_MAX };

static inline void wcm__arch_library_stub(uint8_t *code, const uintptr_t *entry,
					  const uintptr_t *target)
{
	(void)code, (void)entry, (void)target;
}

static inline uintptr_t wcm__arch_library_binding(uint8_t *stub, uint32_t number,
						  const uintptr_t *linker)
{
	(void)stub, (void)number, (void)linker;
	return 0;
}

static inline bool wcm__arch_library_is_unbound(const uint8_t *code, uint32_t number)
{
	(void)code, (void)number;
	return false;
}

static inline bool wcm__arch_library_reference(const uint8_t *operand, uintptr_t *to,
					       bool *calls)
{
	(void)operand, (void)to, (void)calls;
	return false;
}

#endif
