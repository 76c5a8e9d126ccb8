/* SPDX-License-Identifier: MIT */
/* host.h (SAFE) - what libiberty's demanglers find where libc would be. */
#ifndef WCM_DEMANGLER_HOST_H
#define WCM_DEMANGLER_HOST_H

#include <stddef.h>

void *wcm__demangler_malloc(size_t size);
void *wcm__demangler_realloc(void *memory, size_t size);
void *wcm__demangler_xmalloc(size_t size);
void *wcm__demangler_xrealloc(void *memory, size_t size);
void wcm__demangler_free(void *memory);
int wcm__demangler_strcmp(const char *a, const char *b);
int wcm__demangler_strncmp(const char *a, const char *b, size_t size);
void wcm__demangler_abort(void);
void wcm__demangler_stack_chk_fail(void);

/* The same, which position-independent code calls on some CPUs. */
void wcm__demangler_stack_chk_fail_local(void);

/* As the GNU C library has them, the last two with _FORTIFY_SOURCE. */
int wcm__demangler_sprintf(char *text, const char *format, ...);
int wcm__demangler_snprintf(char *text, size_t size, const char *format, ...);
int wcm__demangler_sprintf_chk(char *text, int flag, size_t size,
			       const char *format, ...);
int wcm__demangler_snprintf_chk(char *text, size_t most, int flag, size_t size,
				const char *format, ...);

/* _sch_istable */
extern const unsigned short wcm__demangler_classes[256];

#endif
