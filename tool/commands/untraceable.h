/* SPDX-License-Identifier: MIT */
/* untraceable.h - what is said of a program in which nothing can be traced. */
#ifndef WCM_COMMANDS_UNTRACEABLE_H
#define WCM_COMMANDS_UNTRACEABLE_H

#include <stdbool.h>

/* It has nothing to trace calls by. */
const char *untraceable_by_hooks(void);

/* It is linked statically and has no library in it; AGENT_ALONE: nor is anything else asked for. */
const char *untraceable_static(bool agent_alone);

#endif
