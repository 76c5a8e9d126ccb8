/* SPDX-License-Identifier: MIT */
/* fuzz_resolver.c - any resolver, to the process that asks it for lines.
 *
 * Whatever the resolver says, in whatever parts, an answer is text within its room, and a
 * request is one that the true resolver reads as it was meant.
 */
#include <inttypes.h>
#include <string.h>

#include "fuzzer.h"
#include "lines/resolver_protocol.h"
#include "peer.h"
#include "resolve/module_offset.h"
#include "whocallme/symbol.h"

const char fuzz_name[] = "resolver";

static void put_function(struct text *text, struct choices *choices)
{
	static const char *const files[] = { "/src/a.c", "??", "a:b:c", "", "x\\x0a", NULL };
	static const char *const behind[] = { "", " ", ":0", "x", ":1:2:3", NULL };

	text_name(text, choices);
	text_print(text, "\n%s:%" PRIu64 ":%" PRIu64 "%s\n", one_of(choices, files),
		   chance(choices, 6) ? any_number(choices) : choose(choices, 99),
		   chance(choices, 6) ? any_number(choices) : choose(choices, 99),
		   chance(choices, 20) ? one_of(choices, behind) : "");
	for (size_t i = chance(choices, 3) ? choose(choices, 5) : 0; i > 0; i--) {
		text_print(text, "\t>   12  ");
		text_name(text, choices);
		text_print(text, "\n");
	}
}

static void make_answer(struct text *text, struct choices *choices)
{
	text_clear(text);
	for (size_t i = chance(choices, 3) ? choose(choices, 4) : 0; i > 0; i--) {
		text_print(text, "! ");
		text_name(text, choices);
		text_print(text, "\n");
	}
	for (size_t i = choose(choices, chance(choices, 40) ? 2000 : 5); i > 0; i--)
		put_function(text, choices);
	if (!chance(choices, 20))
		text_print(text, "\n");
	text_damage(text, choices);
}

/* The module that is asked about: at PATH, with a BUILD_ID, both of which live here. */
static void make_symbol(struct wcm_symbol *symbol, struct choices *choices)
{
	static struct text path;
	static uint8_t build_id[256];

	text_clear(&path);
	text_print(&path, "%s", choose(choices, 2) ? "/lib/" : "");
	text_name(&path, choices);
	text_put(&path, "", 1);
	for (size_t i = 0; i < 8; i++)
		build_id[i] = (uint8_t)choose(choices, 256);
	*symbol = (struct wcm_symbol){
		.module = chance(choices, 20) ? NULL : path.bytes,
		.build_id = build_id,
		.build_id_size = (uint32_t)choose(choices, choose(choices, 2) ? 2 : 80),
		.module_offset = any_number(choices),
	};
	if (choose(choices, 2))
		symbol->build_id_size = 20;
}

/* Whether ADDRESS is SYMBOL's, as far as a request says it. */
static void check_request(const struct wcm_symbol *symbol, char *request, size_t size)
{
	struct address address;
	const char *path = symbol->module;

	if (request[size - 1] != '\n' || memchr(request, '\n', size - 1))
		fuzz_fail("a request is not a line: %.*s", (int)size, request);
	request[size - 1] = '\0';
	if (!address_parse(&address, request))
		fuzz_fail("a request is no address: %s", request);
	if (address.address != symbol->module_offset)
		fuzz_fail("a request is about another address");
	if (address.build_id_size && memcmp(address.build_id, symbol->build_id,
					    address.build_id_size) != 0)
		fuzz_fail("a request is about another build");
	if (address.path && *path == '/' && strcmp(address.path, path) != 0)
		fuzz_fail("a request is about another path: %s", address.path);
}

static void ask(struct wcm_resolver *resolver, struct choices *choices)
{
	static struct text answer;
	static char request[WCM_REQUEST_ROOM];
	struct wcm_symbol symbol;
	enum wcm_silence silence;
	size_t size;

	make_symbol(&symbol, choices);
	peer_symbol = &symbol;
	size = wcm__request_make(request, 1);
	if (size > 0)
		check_request(&symbol, request, size);
	make_answer(&answer, choices);
	text_clear(&peer.heard);
	peer = (struct peer){ .choices = choices, .says = answer.bytes,
			      .size = answer.size, .heard = peer.heard,
			      .ends = chance(choices, 2) };
	silence = wcm__resolver_ask(resolver, 1, peer_deadline());
	if (silence == WCM_SILENCE_NONE)
		resolver_check(resolver);
	else if (resolver->size || resolver->complaint || resolver->process.fd >= 0)
		fuzz_fail("something is left of a resolver that has ended");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wcm_resolver resolver;
	struct choices choices = { data, data + size };
	const char *words;

	resolver.process.fd = 3;
	for (size_t i = 1 + choose(&choices, 3); i > 0; i--)
		ask(&resolver, &choices);
	if (chance(&choices, 8)) {
		peer.asked = true;
		peer.said = 0;
		resolver.process.fd = 3;
		words = wcm__resolver_last_words(&resolver, peer_deadline());
		if (words && strlen(words) > 300)
			fuzz_fail("last words of %zu bytes", strlen(words));
	}
	return 0;
}
