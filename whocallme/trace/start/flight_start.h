/* SPDX-License-Identifier: MIT */
/* flight_start.h - starts the flight recorder. */
#ifndef WCM_CONTROL_FLIGHT_START_H
#define WCM_CONTROL_FLIGHT_START_H

#include <stdint.h>

/* As wcm_flight_start(), by what is known of modules already. */
void wcm__flight_start(uint32_t calls);

/* How many calls VALUE, decimal digits, asks for.  0: it is no number from 1 on, or more than there
 * can be. */
uint32_t wcm__flight_calls(const char *value);

/* How many calls WHOCALLME_FLIGHT asks for.  0: none, or it makes no sense, which is said on
 * stderr. */
uint32_t wcm__flight_asked(void);

#endif
