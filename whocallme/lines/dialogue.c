/* SPDX-License-Identifier: MIT */
/* dialogue.c - questions to the helper, and its answers. */
#include "lines/dialogue.h"

enum wcm_silence wcm__dialogue_ask(struct wcm_dialogue *dialogue,
				   uintptr_t site, uint64_t deadline)
{
	(void)dialogue, (void)site, (void)deadline;
	return WCM_SILENCE_ENDED;
}

bool wcm__dialogue_next(struct wcm_dialogue *dialogue,
			struct wcm_answered *answered)
{
	(void)dialogue, (void)answered;
	return false;
}
