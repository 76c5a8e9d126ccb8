/* SPDX-License-Identifier: MIT */
/* agent_rest.h - the agent ends for a moment in which the program is to have one thread. */
#ifndef WCM_AGENT_AGENT_REST_H
#define WCM_AGENT_AGENT_REST_H

/* How many threads it has in this process. */
int wcm__agent_count(void);

/* End them, clients and their trace being kept, and begin them again; where that cannot be, the
 * process has no agent any more. */
void wcm__agent_rest(void);
void wcm__agent_go_on(void);

#endif
