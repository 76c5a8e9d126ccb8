/* SPDX-License-Identifier: MIT */
/* dispatch_actions.h (SAFE) - answers what the program asks and sets of the actions of its
 * signals. */
#ifndef WCM_SYSTEM_DISPATCH_ACTIONS_H
#define WCM_SYSTEM_DISPATCH_ACTIONS_H

/* Make rt_sigaction(2) with ARGUMENT, as it would be without this library. */
long wcm__system_change_action(const long argument[6]);

/* Take what is kept out of what the program's handlers have blocked. */
void wcm__system_actions_without(void);

/* The program has chosen another action for SIGNAL, one that is kept. */
void wcm__system_signal_chosen(int signal);

#endif
