/* SPDX-License-Identifier: MIT */
/* stop.h (SAFE) - ends a report that does not end by itself. */
#ifndef WCM_SIGNALS_STOP_H
#define WCM_SIGNALS_STOP_H

#include <stdint.h>

/* Half a second after DEADLINE, of wcm__clock_ns(), send SIGNAL to the calling
 * thread; another half later, SIGKILL to the process.  For one thread at a
 * time. */
void wcm__stop_arm(int signal, uint64_t deadline);

/* Call that off. */
void wcm__stop_disarm(void);

#endif
