/* SPDX-License-Identifier: MIT */
/* probe_hit.h (SAFE) - the values of a static probe that a thread is at. */
#ifndef WCM_VALUES_PROBE_HIT_H
#define WCM_VALUES_PROBE_HIT_H

#include "core/arch/arch.h"
#include "format/words.h"

struct wcm_probe_hit {
	const char *values; /* see probe_note.h */
	const struct wcm_registers *registers;
};

/* Put them: (1, 0x7ffe5581c0, 0.5).  What is not known is "?".  Signal-safe. */
void wcm__probe_words(struct wcm_words *words, const struct wcm_probe_hit *hit);

#endif
