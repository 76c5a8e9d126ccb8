/* SPDX-License-Identifier: MIT */
/* proc_file.h (SAFE) - reads a file of /proc/self, byte by byte, if it is the kernel's. */
#ifndef WCM_OS_PROC_FILE_H
#define WCM_OS_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WCM_PROC_BUFFER = 2048 };

struct wcm_proc_file {
	int fd;
	uint64_t deadline;
	bool is_late; /* by then it had not ended */
	size_t at, size;
	unsigned char buffer[WCM_PROC_BUFFER];
};

/* The files NAME of the process, or of the calling thread: the same, but what the
 * process has is that of its first thread, which may have ended. */
#define WCM_PROC(name) "/proc/self/" name, "/proc/thread-self/" name

/* Open PATH, a regular file of the kernel's own, no link, to be read, which does not
 * block.  Returns a descriptor or a negated errno. */
int wcm__proc_open_regular(const char *path);

/* WCM_PROC() gives the paths.  False where there is no such file, or nothing in
 * it: no /proc, no descriptor left.  It is read until DEADLINE, of wcm__clock_ns(). */
bool wcm__proc_open(struct wcm_proc_file *file, uint64_t deadline,
		    const char *of_process, const char *of_thread);
void wcm__proc_close(struct wcm_proc_file *file);

/* Fill the buffer anew.  False at the end, and when it is late. */
bool wcm__proc_fill(struct wcm_proc_file *file);

/* The next byte; -1 at the end, and when it is late. */
static inline int wcm__proc_next(struct wcm_proc_file *file)
{
	if (file->at == file->size && !wcm__proc_fill(file))
		return -1;
	return file->buffer[file->at++];
}

#endif
