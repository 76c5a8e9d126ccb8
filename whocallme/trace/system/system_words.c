/* SPDX-License-Identifier: MIT */
/* system_words.c (SAFE) - puts a system call's arguments and result, by the codes of the table. */
#include "trace/system/system_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/os/kernel.h"
#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(errno);

static void (*const put[])(const struct wcm_system_value *value) = {
#define X(name) [WCM_KIND_##name] = wcm__system_put_##name,
	WCM_SYSTEM_KINDS(X)
#undef X
};

/* Six words, for what has no name. */
static const uint8_t unknown[] = { WCM_KIND_hex, WCM_KIND_hex, WCM_KIND_hex, WCM_KIND_hex,
				   WCM_KIND_hex, WCM_KIND_hex, WCM_KIND_hex, WCM_KIND_END };

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

static const uint8_t *codes_of(const struct wcm_system_call *call)
{
	if (!wcm__system_name(call->number))
		return unknown;
	return wcm__system_codes + wcm__system_calls[call->number].codes;
}

/* Whether CALL has no such argument: the mode of an open() that creates nothing. */
static bool is_lacking(const struct wcm_system_call *call, unsigned kind, unsigned at)
{
	switch (kind) {
	case WCM_KIND_nothing:
		return true;
	case WCM_KIND_device:
		return !S_ISCHR(call->argument[at - 1]) && !S_ISBLK(call->argument[at - 1]);
	case WCM_KIND_create_mode:
		return !(call->argument[at - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
	case WCM_KIND_new_address:
		return !(call->argument[at - 1] & ~MREMAP_MAYMOVE);
	case WCM_KIND_fcntl_argument:
		return wcm__fcntl_lacks(call);
	case WCM_KIND_futex_argument:
		return wcm__futex_lacks(call, at);
	case WCM_KIND_prctl_argument:
		return wcm__prctl_lacks(call, at);
	}
	return false;
}

/* What the codes at *CODES say of the next value; they are then those behind it. */
static struct wcm_system_value next_value(const uint8_t **codes)
{
	struct wcm_system_value value = { 0 };
	const uint8_t *code = *codes;

	value.is_later = *code & WCM_KIND_LATER;
	if (*code++ == WCM_KIND_group)
		value.group = *code++;
	*codes = code;
	return value;
}

/* Put the arguments from FROM on; unless IS_OVER up to one that is told later.  Returns how many
 * have been put, those before them included. */
static unsigned put_arguments(struct wcm_words *words, const struct wcm_system_call *call,
			      unsigned from, bool is_over, bool is_done)
{
	const uint8_t *codes = codes_of(call), *before;
	bool is_first = true;
	unsigned at = 0;

	next_value(&codes);
	for (; *codes != WCM_KIND_END && at < WCM_SYSTEM_ARGUMENTS; at++) {
		const unsigned kind = *codes & ~(unsigned)WCM_KIND_LATER;
		struct wcm_system_value value;

		before = codes;
		value = next_value(&codes);
		if (value.is_later && !is_over && at >= from)
			break;
		if (is_lacking(call, kind, at))
			continue;
		if (at >= from) {
			value.words = words;
			value.call = call;
			value.value = (unsigned long)call->argument[at];
			value.at = at;
			value.is_done = is_done;
			wcm__words_text(words, is_first ? "" : ", ");
			put[*before & ~(unsigned)WCM_KIND_LATER](&value);
		}
		is_first = false;
	}
	return at;
}

void wcm__system_words_result(struct wcm_words *words, const struct wcm_system_call *call)
{
	const uint8_t *codes = codes_of(call);
	const unsigned kind = *codes;
	struct wcm_system_value value = next_value(&codes);

	if (wcm__is_error(call->result)) {
		wcm__words_text(words, "-1 ");
		wcm__system_group(words, wcm__group_errno, (uint64_t)-call->result);
		return;
	}
	value.words = words;
	value.call = call;
	value.value = (unsigned long)call->result;
	value.at = WCM_SYSTEM_ARGUMENTS;
	value.is_done = true;
	put[kind](&value);
}

void wcm__system_words_given(struct wcm_words *words, struct wcm_system_call *call)
{
	wcm__words_text(words, "(");
	call->told = put_arguments(words, call, 0, false, false);
}

bool wcm__system_words_go_on(const struct wcm_system_call *call)
{
	const uint8_t *codes = codes_of(call);

	next_value(&codes);
	for (unsigned at = 0; *codes != WCM_KIND_END && at < WCM_SYSTEM_ARGUMENTS; at++) {
		const unsigned kind = *codes & ~(unsigned)WCM_KIND_LATER;

		next_value(&codes);
		if (at >= call->told && !is_lacking(call, kind, at))
			return true;
	}
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
