/* SPDX-License-Identifier: MIT */
/* peer.h - the helper at the other end, as the fuzzer has it. */
#ifndef FUZZ_PEER_H
#define FUZZ_PEER_H

#include "fuzzer.h"
#include "lines/resolver_protocol.h"

struct peer {
	struct choices *choices; /* how its words come: in which parts, after how many
				  * interruptions; NULL: at once */
	const char *says;        /* what it answers to the request */
	size_t size, said;
	struct text heard; /* the request */
	bool asked;
	bool ends; /* it goes away when it has said that */
};

/* What resolver_protocol.c talks to from now on. */
extern struct peer peer;

/* What the address that is asked about is said to be. */
struct wcm_symbol;
extern const struct wcm_symbol *peer_symbol;

/* Some seconds from now, by the clock of resolver_protocol.c. */
uint64_t peer_deadline(void);

/* Fail where one of what RESOLVER's answer consists of is not within it, or is not for
 * a terminal.  How many functions it has. */
size_t resolver_check(struct wcm_resolver *resolver);

#endif
