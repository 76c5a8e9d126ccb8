/* SPDX-License-Identifier: MIT */
/* hush.c - keep what the calling thread prints from stderr.
 *
 * BFD has handlers for its complaints, and prints past them what it finds while it
 * recognises a file, with the names that are in the file as they are.  So while a file
 * is read that is no part of the program, stderr is another stream, which is never
 * closed, since other threads may still hold it: what they print reaches the stream that
 * they mean.  What the program itself consists of is read without: nothing of its start
 * is to meet a stderr that has no descriptor.
 */
#include "load/hush.h"

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
