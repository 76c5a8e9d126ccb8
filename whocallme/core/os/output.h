/* SPDX-License-Identifier: MIT */
/* output.h (SAFE) - bytes to a descriptor, whatever the descriptor does. */
#ifndef WCM_OS_OUTPUT_H
#define WCM_OS_OUTPUT_H

#include <stdbool.h>
#include <sys/uio.h>

/* Write all of PARTS, in one writev(2) unless the kernel takes less; PARTS is
 * used up.  Interruptions are ridden out.  A descriptor that does not block is
 * waited for, a second at most.  Returns 0, or a negated errno where FD does not take
 * everything; SIGPIPE and SIGXFSZ never come of that. */
int wcm__output_put(int fd, struct iovec *parts, int count);

/* The same; false where FD does not take everything. */
bool wcm__output_write(int fd, struct iovec *parts, int count);

/* A copy of FD with a high number, which programs do not meet; a negated errno where there is
 * none. */
int wcm__output_away(int fd);

/* From now on, until told otherwise, the calling thread waits a second at most
 * for descriptors that block, too, and after one such second for none. */
void wcm__output_bound(bool bounded);

#endif
