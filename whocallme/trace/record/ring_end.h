/* SPDX-License-Identifier: MIT */
/* ring_end.h (SAFE) - finds where the records of a file end, and what is open there. */
#ifndef WCM_RECORD_RING_END_H
#define WCM_RECORD_RING_END_H

#include <stdint.h>

/* Where the records of FD end, thread TID's file of SIZE bytes, whose rest is zero. */
uint64_t wcm__ring_find_end(int fd, int tid, uint64_t size);

/* Where it can be cut off: what may be data behind the last record is left. */
uint64_t wcm__ring_find_cut(int fd, int tid, uint64_t size);

/* The same, where they reach to OFFSET at least, and a thread may have written some more. */
uint64_t wcm__ring_find_more(int fd, uint64_t offset);

/* The calls that are open behind the records of FD, which end at END; *TIME is that of the last
 * record. */
uint32_t wcm__ring_count_open(int fd, uint64_t end, uint64_t *time);

#endif
