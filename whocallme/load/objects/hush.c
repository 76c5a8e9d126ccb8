/* SPDX-License-Identifier: MIT */
/* hush.c - drops what BFD prints to stderr past its own handler.
 *
 * BFD prints what it finds while it recognises a file, with the names in the file as
 * they are: an honest one may have properties that this BFD does not know.  So stderr is
 * another stream meanwhile, of no descriptor.  It is never closed, since other threads may
 * still hold it: what they print reaches the stream that they mean.
 */
#include "load/objects/hush.h"

#include <pthread.h>
#include <stdio.h>

static FILE *hushed, *meant;
static pthread_t caller;
static unsigned depth;

static ssize_t write_others(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	return pthread_equal(pthread_self(), caller)
		       ? (ssize_t)size
		       : (ssize_t)fwrite(text, 1, size, meant);
}

void wcm__hush(void)
{
	if (depth++ > 0)
		return;
	if (!hushed) {
		hushed = fopencookie(NULL, "w", (cookie_io_functions_t){
							.write = write_others });
		if (hushed)
			setvbuf(hushed, NULL, _IONBF, 0);
	}
	caller = pthread_self();
	meant = stderr;
	if (hushed)
		stderr = hushed;
}

void wcm__hush_end(void)
{
	if (--depth == 0)
		stderr = meant;
}
