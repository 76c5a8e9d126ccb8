/* SPDX-License-Identifier: MIT */
/* claim.c (SAFE) - marks a siginfo, in its last bytes, which no signal uses and the kernel
 * clears. */
#include "crash/signals/chain.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/os/read.h"

struct mark {
	uint64_t magic; /* changes with struct wcm_claim, unless that only grows */
	struct wcm_claim *claim;
};

static const uint64_t magic = UINT64_C(0x77636d31636c6d31);
static const char this_copy;

static char *place(const siginfo_t *info)
{
	return (char *)(uintptr_t)info + sizeof(*info) - sizeof(struct mark);
}

void wcm__claim(siginfo_t *info, struct wcm_claim *claim)
{
	const struct mark mark = { claim ? magic : 0, claim };

	if (claim)
		claim->copy = &this_copy;
	memcpy(place(info), &mark, sizeof(mark));
}

/* One of our own is left from a signal whose handler has jumped away, where the kernel does not
 * clear it. */
struct wcm_claim *wcm__claim_of(const siginfo_t *info)
{
	struct wcm_claim seen;
	struct mark mark;

	memcpy(&mark, place(info), sizeof(mark));
	if (mark.magic != magic ||
	    !wcm__read_memory((uintptr_t)mark.claim, &seen, sizeof(seen)) ||
	    seen.copy == &this_copy)
		return NULL;
	return mark.claim;
}
