/* SPDX-License-Identifier: MIT */
/* worded_data.c (SAFE) - makes data of a recording of the words of system calls and probes.
 *
 *	read	"3, ...\0"	"5\0, \"abc\\n\", 100"
 *	openat	"AT_FDCWD, \"a.txt\", O_RDONLY"	"-1 ENOENT"
 *
 * The process alone can read what they point to, so it makes the words.  uftrace shows a string up
 * to a zero byte: such a byte ends what a call is given if more is known when the call is over, and
 * stands before that in what the call gives back.
 */
#include "trace/record/worded_data.h"

#include <string.h>

#include "trace/engine/gate.h"
#include "trace/system/system_words.h"

enum { LENGTH = sizeof(uint16_t) };

static const char more[] = "...";

/* Words of arguments begin with a parenthesis, in a byte that the length is put into later. */
static void begin(struct wcm_words *words, struct wcm_value_data *data, size_t before)
{
	char *bytes = (char *)data->word;

	wcm__words_init(words, bytes + LENGTH - before,
			sizeof(data->word) - LENGTH + before - sizeof(", ") - sizeof(more));
	wcm__gate_words(words);
}

/* There is room for MORE, whether what is before was cut or not. */
static void put_dots(struct wcm_words *words, const char *before, size_t size)
{
	words->is_cut = false;
	words->end += sizeof(", ") + sizeof(more);
	wcm__words_text(words, before);
	wcm__words_span(words, more, size);
}

/* Put the string's length before it, and zeros behind, up to a whole word.  No text is no data. */
static void finish(struct wcm_value_data *data, struct wcm_words *words)
{
	char *bytes = (char *)data->word;
	size_t whole;
	uint16_t length;

	if (words->is_cut)
		put_dots(words, "", sizeof(more) - 1);
	whole = (size_t)(words->at - bytes);
	length = (uint16_t)(whole - LENGTH);
	data->count = length > 0 ? (whole + 7) / 8 : 0;
	memset(words->at, 0, data->count * 8 > whole ? data->count * 8 - whole : 0);
	memcpy(bytes, &length, LENGTH);
}

void wcm__worded_given(struct wcm_value_data *data, struct wcm_system_call *call)
{
	struct wcm_words words;

	begin(&words, data, 1);
	wcm__system_words_given(&words, call);
	if (wcm__system_words_go_on(call))
		put_dots(&words, wcm__words_length(&words) == 1 ? "" : ", ", sizeof(more));
	finish(data, &words);
}

void wcm__worded_back(struct wcm_value_data *data, const struct wcm_system_call *call)
{
	static const char unknown[] = "?\0 ...";
	struct wcm_words words;

	begin(&words, data, 0);
	if (!call)
		wcm__words_span(&words, unknown, sizeof(unknown) - 1);
	else if (call->result != WCM_SYSTEM_NEVER)
		wcm__system_words_result(&words, call);
	if (call && wcm__system_words_go_on(call)) {
		wcm__words_span(&words, "", 1);
		wcm__system_words_rest(&words, call);
	}
	finish(data, &words);
}

/* Without the parentheses. */
void wcm__worded_probe(struct wcm_value_data *data, const struct wcm_probe_hit *hit)
{
	struct wcm_words words;

	begin(&words, data, 1);
	wcm__probe_words(&words, hit);
	words.at -= words.is_cut ? 0 : 1;
	finish(data, &words);
}
