/* SPDX-License-Identifier: MIT */
/* system_waiting.c (SAFE) - what poll() and select() wait for, and what they find. */
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"

WCM_GROUP(poll);

/* Put those of the COUNT at LOT that are ready, after SHOWN others.  Returns how many then are. */
static unsigned put_ready(struct wcm_words *words, const struct pollfd *lot, size_t count,
			  unsigned shown)
{
	for (size_t i = 0; i < count; i++) {
		if (lot[i].revents == 0)
			continue;
		wcm__words_text(words, shown++ == 0 ? " ([{fd=" : ", {fd=");
		wcm__words_id(words, lot[i].fd);
		wcm__words_text(words, ", revents=");
		wcm__system_group(words, wcm__group_poll, (uint16_t)lot[i].revents);
		wcm__words_text(words, "}");
	}
	return shown;
}

/* 1 ([{fd=3, revents=POLLIN}]) */
void wcm__system_put_ready_poll(const struct wcm_system_value *value)
{
	enum { LOT = 32, MOST = 1024 };
	uintptr_t at = (uintptr_t)value->call->argument[0];
	uint64_t left = (uint32_t)value->call->argument[1];
	struct pollfd lot[LOT];
	unsigned shown = 0;

	wcm__system_put_number(value);
	if ((int32_t)value->value <= 0)
		return;
	if (left > MOST)
		left = MOST;
	while (left > 0 && shown < WCM_SYSTEM_SHOWN) {
		const size_t count = left < LOT ? (size_t)left : LOT;

		if (!wcm__read_memory(at, lot, count * sizeof(*lot)))
			break;
		shown = put_ready(value->words, lot, count, shown);
		at += count * sizeof(*lot);
		left -= count;
	}
	if (shown > 0)
		wcm__words_text(value->words, "])");
}

/* A set of descriptors, as the words that the kernel reads. */
struct set {
	unsigned long bits[sizeof(fd_set) / sizeof(long)];
};

enum { LONG_BITS = 8 * sizeof(long) };

static bool is_in(const unsigned long *bits, uint64_t number)
{
	return bits[number / LONG_BITS] >> number % LONG_BITS & 1;
}

void wcm__system_bits(struct wcm_words *words, const unsigned long *bits, uint64_t count)
{
	bool is_first = true;

	wcm__words_text(words, "[");
	for (uint64_t number = 0; number < count; number++)
		if (is_in(bits, number)) {
			wcm__words_text(words, is_first ? "" : " ");
			wcm__words_id(words, (int64_t)number);
			is_first = false;
		}
	wcm__words_text(words, "]");
}

/* How many descriptors CALL looks at, and a set has. */
static uint64_t descriptors_of(const struct wcm_system_call *call)
{
	const int32_t count = (int32_t)call->argument[0];

	return count < 0 ? 0 : count < FD_SETSIZE ? (uint64_t)count : FD_SETSIZE;
}

/* Read the set at ADDRESS, of which the kernel looks at COUNT descriptors. */
static bool read_set(uintptr_t address, uint64_t count, struct set *set)
{
	const size_t size = (size_t)(count + LONG_BITS - 1) / LONG_BITS * sizeof(long);

	memset(set, 0, sizeof(*set));
	return address != 0 && wcm__read_memory(address, set, size);
}

/* [3 4] */
void wcm__system_put_fdset(const struct wcm_system_value *value)
{
	const uint64_t count = descriptors_of(value->call);
	struct set set;

	if (read_set((uintptr_t)value->value, count, &set))
		wcm__system_bits(value->words, set.bits, count);
	else
		wcm__system_put_address(value);
}

static bool is_empty(const struct set *set, uint64_t count)
{
	for (uint64_t fd = 0; fd < count; fd++)
		if (is_in(set->bits, fd))
			return false;
	return true;
}

/* 1 (in [3], out [4]) */
void wcm__system_put_ready_select(const struct wcm_system_value *value)
{
	static const char *const names[] = { "in ", "out ", "except " };
	const uint64_t count = descriptors_of(value->call);
	const char *before = " (";
	struct set set;

	wcm__system_put_number(value);
	if ((int32_t)value->value <= 0)
		return;
	for (unsigned i = 0; i < 3; i++) {
		if (!read_set((uintptr_t)value->call->argument[i + 1], count, &set) ||
		    is_empty(&set, count))
			continue;
		wcm__words_text(value->words, before);
		wcm__words_text(value->words, names[i]);
		wcm__system_bits(value->words, set.bits, count);
		before = ", ";
	}
	if (*before == ',')
		wcm__words_text(value->words, ")");
}
