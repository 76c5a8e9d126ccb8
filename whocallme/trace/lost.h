/* SPDX-License-Identifier: MIT */
/* lost.h - how much was not traced that should have been? */
#ifndef WCM_TRACE_LOST_H
#define WCM_TRACE_LOST_H

/* Say on stderr how many events of the trace were lost, and why, if any were. */
void wcm__lost_tell(void);

#endif
