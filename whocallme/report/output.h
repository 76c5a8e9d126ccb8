/* SPDX-License-Identifier: MIT */
/* output.h - bytes to a descriptor, whatever the descriptor does. */
#ifndef WCM_REPORT_OUTPUT_H
#define WCM_REPORT_OUTPUT_H

#include <stdbool.h>
#include <sys/uio.h>

/* Write all of PARTS, in one writev(2) unless the kernel takes less; PARTS is
 * used up.  Interruptions are ridden out and a full pipe is waited for, a
 * second at most.  False where FD does not take everything. */
bool wcm__output_write(int fd, struct iovec *parts, int count);

#endif
