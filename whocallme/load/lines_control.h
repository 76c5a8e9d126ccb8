/* SPDX-License-Identifier: MIT */
/* lines_control.h - who starts source lines: a call, or the environment? */
#ifndef WCM_LOAD_LINES_CONTROL_H
#define WCM_LOAD_LINES_CONTROL_H

/* Ready the dialogue with the helper, and the children of this process. */
void wcm__lines_prepare(void);

#endif
