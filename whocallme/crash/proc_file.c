/* SPDX-License-Identifier: MIT */
/* proc_file.c - what a file of /proc/self says, byte by byte. */
#include "crash/proc_file.h"

#include <errno.h>
#include <fcntl.h>

#include "syscall.h"

void wcm__proc_close(struct wcm_proc_file *file)
{
	wcm__syscall(SYS_close, file->fd, 0, 0, 0, 0, 0);
}

static bool fill(struct wcm_proc_file *file)
{
	long size;

	do
		size = wcm__syscall(SYS_read, file->fd, (long)file->buffer,
				    sizeof(file->buffer), 0, 0, 0);
	while (size == -EINTR);
	file->at = 0;
	file->size = size > 0 ? (size_t)size : 0;
	return size > 0;
}

int wcm__proc_next(struct wcm_proc_file *file)
{
	if (file->at == file->size && !fill(file))
		return -1;
	return file->buffer[file->at++];
}

static bool open_filled(struct wcm_proc_file *file, const char *path)
{
	file->at = file->size = 0;
	file->fd = (int)wcm__syscall(SYS_openat, AT_FDCWD, (long)path,
				     O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (file->fd < 0)
		return false;
	if (fill(file))
		return true;
	wcm__proc_close(file);
	return false;
}

bool wcm__proc_open(struct wcm_proc_file *file, const char *of_process,
		    const char *of_thread)
{
	return open_filled(file, of_process) || open_filled(file, of_thread);
}
