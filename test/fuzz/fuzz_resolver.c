/* SPDX-License-Identifier: MIT */
/* fuzz_dialogue.c - any helper, to the process that asks it for lines.
 *
 * Whatever the helper says, in whatever parts, an answer is text within its room, and a
 * question is one that the true helper reads as it was meant.
 */
#include <inttypes.h>
#include <string.h>

#include "fuzzer.h"
#include "lines/question.h"
#include "peer.h"
#include "reports/address.h"
#include "whocallme/symbol.h"

const char fuzz_name[] = "dialogue";

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

/* Whether ADDRESS is SYMBOL's, as far as a question says it. */
static void check_question(const struct wcm_symbol *symbol, char *question, size_t size)
{
	struct address address;
	const char *path = symbol->module;

	if (question[size - 1] != '\n' || memchr(question, '\n', size - 1))
		fuzz_fail("a question is not a line: %.*s", (int)size, question);
	question[size - 1] = '\0';
	if (!address_parse(&address, question))
		fuzz_fail("a question is no address: %s", question);
	if (address.address != symbol->module_offset)
		fuzz_fail("a question is about another address");
	if (address.build_id_size && memcmp(address.build_id, symbol->build_id,
					    address.build_id_size) != 0)
		fuzz_fail("a question is about another build");
	if (address.path && *path == '/' && strcmp(address.path, path) != 0)
		fuzz_fail("a question is about another path: %s", address.path);
}

static void ask(struct wcm_dialogue *dialogue, struct choices *choices)
{
	static struct text answer;
	static char question[WCM_QUESTION_SIZE];
	struct wcm_symbol symbol;
	enum wcm_silence silence;
	size_t size;

	make_symbol(&symbol, choices);
	peer_symbol = &symbol;
	size = wcm__question_make(question, 1);
	if (size > 0)
		check_question(&symbol, question, size);
	make_answer(&answer, choices);
	text_clear(&peer.heard);
	peer = (struct peer){ .choices = choices, .says = answer.bytes,
			      .size = answer.size, .heard = peer.heard,
			      .ends = chance(choices, 2) };
	silence = wcm__dialogue_ask(dialogue, 1, peer_deadline());
	if (silence == WCM_SILENCE_NONE)
		dialogue_check(dialogue);
	else if (dialogue->size || dialogue->complaint || dialogue->helper.fd >= 0)
		fuzz_fail("something is left of a dialogue that has ended");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wcm_dialogue dialogue;
	struct choices choices = { data, data + size };
	const char *words;

	dialogue.helper.fd = 3;
	for (size_t i = 1 + choose(&choices, 3); i > 0; i--)
		ask(&dialogue, &choices);
	if (chance(&choices, 8)) {
		peer.asked = true;
		peer.said = 0;
		dialogue.helper.fd = 3;
		words = wcm__dialogue_last_words(&dialogue, peer_deadline());
		if (words && strlen(words) > 300)
			fuzz_fail("last words of %zu bytes", strlen(words));
	}
	return 0;
}
