/* SPDX-License-Identifier: MIT */
/* lines.h - where the lines of a trace go. */
#ifndef WCM_HOOK_LINES_H
#define WCM_HOOK_LINES_H

#include "hook/sink.h"

int wcm__lines_fd(void);
void wcm__lines_to(int fd);

#endif
