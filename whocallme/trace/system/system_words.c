/* SPDX-License-Identifier: MIT */
/* system_words.c (SAFE) - puts a system call's arguments and result, by the codes of the table. */
#include "trace/system/system_words.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/os/kernel.h"
#include "trace/system/system_kinds.h"
#include "trace/values/prototype.h"

WCM_GROUP(errno);

static void (*const put[])(const struct wcm_system_value *value) = {
#define X(name) [WCM_KIND_##name] = wcm__system_put_##name,
	WCM_SYSTEM_KINDS(X)
#undef X
};

/* Six words, for what has no name. */
static const struct wcm_system_code unknown[] = {
	{ WCM_KIND_hex, 0 }, { WCM_KIND_hex, 0 }, { WCM_KIND_hex, 0 }, { WCM_KIND_hex, 0 },
	{ WCM_KIND_hex, 0 }, { WCM_KIND_hex, 0 }, { WCM_KIND_hex, 0 }, { WCM_KIND_END, 0 },
};

const char *wcm__system_name(long number)
{
	if (number < 0 || number >= WCM_SYSTEM_CALLS || wcm__system_calls[number].name == 0)
		return NULL;
	return wcm__system_names + wcm__system_calls[number].name;
}

const char *wcm__system_classes(long number)
{
	return wcm__system_names + wcm__system_calls[number].classes;
}

static const struct wcm_system_code *codes_of(const struct wcm_system_call *call)
{
	if (!wcm__system_name(call->number))
		return unknown;
	return wcm__system_codes + wcm__system_calls[call->number].codes;
}

static uint64_t number_of(unsigned kind, uint64_t word, size_t size)
{
	return wcm__value_widen(word, size, kind <= WCM_KIND_ready_select);
}

void wcm__system_put(struct wcm_system_value *value, struct wcm_system_code code, long word)
{
	const unsigned kind = code.kind & ~(unsigned)WCM_KIND_LATER;
	const bool is_int = kind >= WCM_KIND_number && kind <= WCM_KIND_signal;
	uint64_t left = UINT64_MAX;

	value->number = code.number;
	value->value = number_of(kind, (unsigned long)word, is_int ? sizeof(int) : sizeof(long));
	value->is_later = code.kind & WCM_KIND_LATER;
	value->is_hidden = value->is_later && !value->is_done;
	if (value->is_later)
		left = (uint64_t)value->call->result;
	value->left = &left;
	put[kind](value);
}

/* The number that the SIZE bytes at BYTES are; 0: they are none. */
static uint64_t load(const void *bytes, size_t size)
{
	uint16_t half;
	uint32_t word;
	uint64_t whole;

	switch (size) {
	case sizeof(half):
		memcpy(&half, bytes, sizeof(half));
		return half;
	case sizeof(word):
		memcpy(&word, bytes, sizeof(word));
		return word;
	case sizeof(whole):
		memcpy(&whole, bytes, sizeof(whole));
		return whole;
	}
	return 0;
}

void wcm__system_put_part(const struct wcm_system_value *of, const struct wcm_system_part *part,
			  const void *whole, const void *bytes)
{
	struct wcm_system_value value = *of;
	const unsigned kind = part->code.kind;
	const size_t size = part->size <= sizeof(uint64_t) ? part->size : 0;

	value.number = part->code.number;
	value.bytes = bytes;
	value.whole = whole;
	value.size = part->size;
	value.value = size > 0 ? number_of(kind, load(bytes, size), size) : 0;
	put[kind](&value);
}

/* Whether CALL has no such argument: the mode of an open() that creates nothing. */
static bool is_lacking(const struct wcm_system_call *call, struct wcm_system_code code,
		       unsigned at)
{
	switch (code.kind & ~(unsigned)WCM_KIND_LATER) {
	case WCM_KIND_nothing:
		return true;
	case WCM_KIND_device:
		return !S_ISCHR(call->argument[at - 1]) && !S_ISBLK(call->argument[at - 1]);
	case WCM_KIND_create_mode:
		return !(call->argument[at - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
	case WCM_KIND_new_address:
		return !(call->argument[at - 1] & ~MREMAP_MAYMOVE);
	case WCM_KIND_choice:
		return wcm__system_chosen(call, code.number).kind == WCM_KIND_lacking;
	}
	return false;
}

/* Put the arguments from FROM on; unless IS_OVER up to one that is told later.  Returns how many
 * have been put, those before them included. */
static unsigned put_arguments(struct wcm_words *words, const struct wcm_system_call *call,
			      unsigned from, bool is_over, bool is_done)
{
	struct wcm_system_value value = { .words = words, .call = call, .is_done = is_done };
	const struct wcm_system_code *code = codes_of(call) + 1;
	bool is_first = true;

	for (; code->kind != WCM_KIND_END && value.at < WCM_SYSTEM_ARGUMENTS; code++, value.at++) {
		if ((code->kind & WCM_KIND_LATER) && !is_over && value.at >= from)
			break;
		if (is_lacking(call, *code, value.at))
			continue;
		if (value.at >= from) {
			wcm__words_text(words, is_first ? "" : ", ");
			wcm__system_put(&value, *code, call->argument[value.at]);
		}
		is_first = false;
	}
	return value.at;
}

void wcm__system_words_result(struct wcm_words *words, const struct wcm_system_call *call)
{
	struct wcm_system_value value = { .words = words, .call = call, .is_done = true,
					  .at = WCM_SYSTEM_ARGUMENTS };

	if (wcm__is_error(call->result)) {
		wcm__words_text(words, "-1 ");
		wcm__system_group(words, wcm__group_errno, (uint64_t)-call->result);
		return;
	}
	wcm__system_put(&value, *codes_of(call), call->result);
}

void wcm__system_words_given(struct wcm_words *words, struct wcm_system_call *call)
{
	wcm__words_text(words, "(");
	call->told = put_arguments(words, call, 0, false, false);
}

bool wcm__system_words_go_on(const struct wcm_system_call *call)
{
	const struct wcm_system_code *code = codes_of(call) + 1;

	for (unsigned at = 0; code->kind != WCM_KIND_END && at < WCM_SYSTEM_ARGUMENTS; at++, code++)
		if (at >= call->told && !is_lacking(call, *code, at))
			return true;
	return false;
}

void wcm__system_words_rest(struct wcm_words *words, const struct wcm_system_call *call)
{
	put_arguments(words, call, call->told, true,
		      call->result != WCM_SYSTEM_NEVER && !wcm__is_error(call->result));
}

void wcm__system_words_back(struct wcm_words *words, const struct wcm_system_call *call)
{
	wcm__system_words_rest(words, call);
	wcm__words_text(words, ")");
	if (call->result == WCM_SYSTEM_NEVER)
		return;
	wcm__words_text(words, " → ");
	wcm__system_words_result(words, call);
}
