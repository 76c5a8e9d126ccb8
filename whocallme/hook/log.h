/* SPDX-License-Identifier: MIT */
/* log.h - the log's part besides its sink. */
#ifndef WCM_HOOK_LOG_H
#define WCM_HOOK_LOG_H

/* Write what the threads have folded so far. */
void wcm__log_flush(void);

#endif
