/* SPDX-License-Identifier: MIT */
/* own_bytes.h (SAFE) - the functions on bytes that the library calls are its own.
 *
 * A program may put a memcpy() or strlen() of its own in libc's place, instrumented or with a
 * sled, and a hook that called it would call itself.  The compiler calls four of them where no
 * source does, to copy or clear a struct, and knows them by libc's names alone: the assembler
 * gives these names to ours.  Every file of the library includes this before all others, by the
 * command line.  The linker cannot do it: in a static link it would do so for the program, too.
 */
#ifndef WCM_OS_OWN_BYTES_H
#define WCM_OS_OWN_BYTES_H

#include <stddef.h>

void *wcm__memcpy(void *to, const void *from, size_t size);
void *wcm__memmove(void *to, const void *from, size_t size);
void *wcm__memset(void *to, int byte, size_t size);
int wcm__memcmp(const void *one, const void *other, size_t size);
void *wcm__memchr(const void *from, int byte, size_t size);
size_t wcm__strlen(const char *string);
char *wcm__strrchr(const char *string, int byte);

__asm__(".set memcpy, wcm__memcpy\n\t"
	".set memmove, wcm__memmove\n\t"
	".set memset, wcm__memset\n\t"
	".set memcmp, wcm__memcmp\n\t"
	".set bcmp, wcm__memcmp\n\t"
	".set memchr, wcm__memchr\n\t"
	".set strlen, wcm__strlen\n\t"
	".set strrchr, wcm__strrchr");

#endif
