/* SPDX-License-Identifier: MIT */
/* lines_control.h - starts source lines: by a call, or by the environment before main. */
#ifndef WCM_LOAD_LINES_CONTROL_H
#define WCM_LOAD_LINES_CONTROL_H

/* Ready the session with the resolver, and the children of this process. */
void wcm__lines_prepare(void);

#endif
