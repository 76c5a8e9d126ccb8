/* SPDX-License-Identifier: MIT */
/* probe_note.c (SAFE) - reads the notes of static probes (.note.stapsdt).
 *
 * They are a file's, which may hold anything: what does not lie in its note ends the reading, for
 * where the next note begins is not known then.  A note of somebody else's, or of another version,
 * is passed over.
 */
#include "format/probe_note.h"

#include <elf.h>
#include <string.h>

enum { NOTE_VERSION = 3 };

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* The text at *AT, which ends before END; NULL: it does not. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));

	*at = zero ? zero + 1 : end;
	return zero ? text : NULL;
}

static uint64_t word_at(const uint8_t *at, size_t word)
{
	uint64_t wide;
	uint32_t narrow;

	if (word == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

static bool read_note(const uint8_t *at, size_t size, size_t word, struct wcm_probe_note *note)
{
	const char *text = (const char *)at + 3 * word, *end = (const char *)at + size;

	if (size < 3 * word)
		return false;
	note->at = word_at(at, word);
	note->base = word_at(at + word, word);
	note->semaphore = word_at(at + 2 * word, word);
	note->provider = take_text(&text, end);
	note->name = take_text(&text, end);
	note->values = take_text(&text, end);
	return note->values && *note->provider && *note->name;
}

bool wcm__probe_note_next(const uint8_t *notes, size_t size, size_t word, size_t *offset,
			  struct wcm_probe_note *note)
{
	static const char owner[] = "stapsdt";
	Elf32_Nhdr head;

	while (*offset <= size && size - *offset >= sizeof(head)) {
		const size_t left = size - *offset - sizeof(head);
		const uint8_t *name = notes + *offset + sizeof(head);

		memcpy(&head, notes + *offset, sizeof(head));
		if (head.n_namesz > left || aligned(head.n_namesz) > left ||
		    head.n_descsz > left - aligned(head.n_namesz))
			return false;
		*offset += sizeof(head) + aligned(head.n_namesz) + aligned(head.n_descsz);
		if (head.n_type == NOTE_VERSION && head.n_namesz == sizeof(owner) &&
		    memcmp(name, owner, sizeof(owner)) == 0 &&
		    read_note(name + aligned(head.n_namesz), head.n_descsz, word, note))
			return true;
	}
	return false;
}

static bool take_size(const char **at, struct wcm_probe_value *value)
{
	const bool is_negative = **at == '-';
	const char *digit = *at + is_negative;

	value->size = 0;
	for (; *digit >= '0' && *digit <= '9' && value->size < 100; digit++)
		value->size = value->size * 10 + (*digit - '0');
	value->is_float = *digit == 'f';
	digit += value->is_float;
	if (*digit != '@' || value->size == 0)
		return false;
	if (is_negative)
		value->size = -value->size;
	*at = digit + 1;
	return true;
}

/* A space ends it that no parenthesis or bracket is around, and that another value follows. */
bool wcm__probe_value_next(const char **values, struct wcm_probe_value *value)
{
	const char *at = *values;
	int depth = 0;

	while (*at == ' ')
		at++;
	if (!take_size(&at, value))
		return false;
	value->place = at;
	for (; *at && (*at != ' ' || depth > 0); at++)
		depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
	value->length = (size_t)(at - value->place);
	*values = at;
	return true;
}
