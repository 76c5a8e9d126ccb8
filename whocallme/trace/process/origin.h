/* SPDX-License-Identifier: MIT */
/* origin.h - the moment that the times of a trace count from, in all its processes. */
#ifndef WCM_MODES_ORIGIN_H
#define WCM_MODES_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

/* A trace begins: it counts from now, or, if the environment has asked for it (IS_ASKED) in a
 * program that this one or one before it was run by, from when it began there. */
void wcm__origin_begin(bool is_asked);

/* Whether it counts from now. */
bool wcm__origin_is_here(void);

/* A pipe or a terminal that has the log's head from a program before: its inode, or 0. */
uint64_t wcm__origin_headed(void);

/* Have the environment say it to the programs that this one runs; HEADED is such an inode. */
void wcm__origin_hand_on(uint64_t headed);

#endif
