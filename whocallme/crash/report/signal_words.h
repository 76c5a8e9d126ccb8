/* SPDX-License-Identifier: MIT */
/* signal_words.h (SAFE) - names a signal and its cause in words. */
#ifndef WCM_REPORT_SIGNAL_WORDS_H
#define WCM_REPORT_SIGNAL_WORDS_H

#include <signal.h>
#include <stdbool.h>

#include "core/arch/arch.h"

/* "SIGSEGV" and "segmentation fault". */
const char *wcm__signal_name(int signal);
const char *wcm__signal_text(int signal);

/* What INFO's si_code says in words, as in sigaction(2), and what was FOUND besides: TEXT, and
 * unless THEN is NULL the NUMBER and that. */
struct wcm_signal_cause {
	const char *text, *then;
	unsigned number;
};

struct wcm_signal_cause wcm__signal_cause(const siginfo_t *info,
					  const struct wcm_fault_found *found);

/* One of WCM_FLOAT_* in words. */
const char *wcm__float_words(unsigned exception);

/* Whether INFO comes from a fault, so that si_addr means something; else it was
 * sent, and si_pid may say by whom. */
bool wcm__signal_is_fault(const siginfo_t *info);

/* Whether INFO says which process sent it. */
bool wcm__signal_has_sender(const siginfo_t *info);

#endif
