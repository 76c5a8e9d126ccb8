/* SPDX-License-Identifier: MIT */
/* living.c - lines for a program that is well and asked for them. */
#include "lines/living.h"

#include <stddef.h>

#include "whocallme/lines.h"

bool wcm__living_wanted(void)
{
	return false;
}

struct wcm_dialogue *wcm__living_ask(uintptr_t site)
{
	(void)site;
	return NULL;
}

void wcm__living_give_back(struct wcm_dialogue *dialogue)
{
	(void)dialogue;
}

enum wcm_status wcm_lines_start(const struct wcm_lines_options *options)
{
	(void)options;
	return WCM_EHELPER;
}

void wcm_lines_stop(void)
{
}
