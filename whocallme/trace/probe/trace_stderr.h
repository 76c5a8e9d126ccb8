/* SPDX-License-Identifier: MIT */
/* said_to.h - the descriptor that complaints of a trace go to. */
#ifndef WCM_HOOK_SAID_TO_H
#define WCM_HOOK_SAID_TO_H

/* Note what stderr is at this moment. */
void wcm__said_to_note(void);

/* The descriptor of stderr; -1 where it has become something else since it was noted. */
int wcm__said_to(void);

#endif
