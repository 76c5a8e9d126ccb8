/* SPDX-License-Identifier: MIT */
/* fuzz_notes.c - any notes of static probes, and any values that they tell.
 *
 * Nothing is read outside of the notes, whatever they say of their sizes, and a hit's values are
 * text for a terminal, wherever they point to.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arch/arch.h"
#include "format/probe_note.h"
#include "fuzzer.h"
#include "trace/probes/probe_hit.h"

const char fuzz_name[] = "notes";

static struct text notes;

/* A part of an operand, or what is like one. */
static void make_part(struct choices *choices)
{
	static const char *const parts[] = {
		"%rax", "%eax", "%al", "%ah", "%r8", "%r15d", "%x0", "%w3", "%esp", "%rip", "%",
		"(", ")", "(%rip)", "(%rsp)", "(,%rdi,8)", "(%rax,%rbx,4)", "[sp, 8]", "[x29]",
		"$", "-", "+", ",", " ", "@", "count", ".LC0", "a$b", "0x", "16", "f", NULL,
	};

	if (chance(choices, 4))
		text_print(&notes, "%lld", (long long)any_number(choices));
	else if (chance(choices, 8))
		text_name(&notes, choices);
	else
		text_print(&notes, "%s", one_of(choices, parts));
}

static void make_values(struct choices *choices)
{
	static const char *const sizes[] = { "1", "-1", "2", "-2", "4", "-4", "4f", "8", "-8", "8f",
					     "16", "0", "", "-", "99999", NULL };

	for (size_t i = choose(choices, 15); i > 0; i--) {
		text_print(&notes, "%s@", one_of(choices, sizes));
		for (size_t j = choose(choices, 5); j > 0; j--)
			make_part(choices);
		text_print(&notes, "%s", i > 1 ? " " : "");
	}
}

static void put_word(uint32_t word)
{
	text_put(&notes, &word, sizeof(word));
}

static void align(size_t from)
{
	while ((notes.size - from) % 4 != 0)
		text_put(&notes, "", 1);
}

/* Its sizes are right, or nearly. */
static void make_note(struct choices *choices, size_t word)
{
	static const char owner[] = "stapsdt";
	const size_t head = notes.size;
	uint32_t size;

	put_word(sizeof(owner) + (uint32_t)chance(choices, 16));
	put_word(0);
	put_word(chance(choices, 16) ? (uint32_t)choose(choices, 8) : 3);
	text_put(&notes, owner, sizeof(owner));
	size = (uint32_t)notes.size;
	for (int i = 0; i < 3; i++) {
		const uint64_t address = any_number(choices);

		text_put(&notes, &address, word);
	}
	for (int i = 0; i < 2; i++) {
		text_name(&notes, choices);
		text_put(&notes, "", 1);
	}
	make_values(choices);
	text_put(&notes, "", chance(choices, 16) ? 0 : 1);
	size = (uint32_t)notes.size - size;
	if (chance(choices, 16))
		size += (uint32_t)any_number(choices);
	memcpy(notes.bytes + head + sizeof(size), &size, sizeof(size));
	align(head);
}

static void show(const char *values, const struct wcm_registers *registers)
{
	const struct wcm_probe_hit hit = { .values = values, .registers = registers };
	char room[256];
	struct wcm_words words;

	wcm__words_init(&words, room, sizeof(room));
	wcm__probe_words(&words, &hit);
	if (wcm__words_length(&words) > sizeof(room))
		fuzz_fail("%zu bytes of %zu", wcm__words_length(&words), sizeof(room));
	check_printable(room, wcm__words_length(&words));
}

static void look_at(const struct wcm_probe_value *value)
{
	const char *end = value->place + value->length;
	struct wcm_probe_symbol symbol;

	if (wcm__arch_probe_symbol(&symbol, value->place, value->length) &&
	    (symbol.length == 0 || symbol.name < value->place ||
	     symbol.name + symbol.length > end || symbol.rest + symbol.rest_length > end))
		fuzz_fail("the symbol is not in %.*s", (int)value->length, value->place);
}

static void read_notes(const uint8_t *bytes, size_t size, size_t word,
		       const struct wcm_registers *registers)
{
	struct wcm_probe_note note;
	size_t offset = 0;

	while (wcm__probe_note_next(bytes, size, word, &offset, &note)) {
		const char *values = note.values;
		struct wcm_probe_value value;

		if (!*note.provider || !*note.name)
			fuzz_fail("a probe has no name");
		while (wcm__probe_value_next(&values, &value))
			look_at(&value);
		show(note.values, registers);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices = { data, data + size };
	const size_t word = chance(&choices, 2) ? 4 : 8;
	struct wcm_registers registers = { 0 };
	uint8_t *bytes;

	text_clear(&notes);
	for (unsigned i = 0; i < WCM_COLUMNS; i++)
		wcm__register_set(&registers, i,
				  chance(&choices, 2) ? (uintptr_t)any_number(&choices) :
							(uintptr_t)&registers);
	for (size_t i = choose(&choices, 6); i > 0; i--)
		make_note(&choices, word);
	text_damage(&notes, &choices);
	/* No byte more than there are. */
	bytes = malloc(notes.size ? notes.size : 1);
	if (!bytes)
		return -1;
	if (notes.size > 0)
		memcpy(bytes, notes.bytes, notes.size);
	read_notes(bytes, notes.size, word, &registers);
	read_notes(bytes, notes.size, 12 - word, &registers);
	free(bytes);
	return 0;
}
