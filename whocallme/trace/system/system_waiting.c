/* SPDX-License-Identifier: MIT */
/* system_waiting.c (SAFE) - what poll(), select() and epoll wait for, and what they find. */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(epoll);
WCM_GROUP(poll);

static void put_poll(struct wcm_words *words, uint64_t events)
{
	wcm__system_group(words, wcm__group_poll, events);
}

static void put_pollfd(const struct wcm_system_value *value, const void *element)
{
	struct pollfd one;

	memcpy(&one, element, sizeof(one));
	wcm__system_member(value->words, "{fd=", (uint64_t)one.fd, wcm__system_id);
	if (one.fd >= 0)
		wcm__system_member(value->words, ", events=", (uint16_t)one.events, put_poll);
	wcm__words_text(value->words, "}");
}

void wcm__system_put_pollfds(const struct wcm_system_value *value)
{
	wcm__system_array(value, (uint32_t)wcm__system_beside(value, 1), sizeof(struct pollfd),
			  put_pollfd);
}

/* Put those of the COUNT at LOT that are ready, after SHOWN others.  Returns how many then are. */
static unsigned put_ready(struct wcm_words *words, const struct pollfd *lot, size_t count,
			  unsigned shown)
{
	for (size_t i = 0; i < count; i++) {
		if (lot[i].revents == 0)
			continue;
		wcm__system_member(words, shown++ == 0 ? " ([{fd=" : ", {fd=",
				   (uint64_t)lot[i].fd, wcm__system_id);
		wcm__system_member(words, ", revents=", (uint16_t)lot[i].revents, put_poll);
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

/* Read the set at ADDRESS of descriptors below COUNT, which is how many the kernel looks at. */
static bool read_set(uintptr_t address, uint64_t count, fd_set *set)
{
	const size_t word = sizeof(long), bits = 8 * word;
	const uint64_t size = (count + bits - 1) / bits * word;

	memset(set, 0, sizeof(*set));
	return address != 0 &&
	       wcm__read_memory(address, set, size < sizeof(*set) ? (size_t)size : sizeof(*set));
}

static bool is_in(const fd_set *set, unsigned fd)
{
	const unsigned bits = 8 * sizeof(long);
	unsigned long word;

	memcpy(&word, (const char *)set + fd / bits * sizeof(word), sizeof(word));
	return word >> fd % bits & 1;
}

/* [3 4] */
static void put_set(struct wcm_words *words, const fd_set *set, uint64_t count)
{
	bool is_first = true;

	wcm__words_text(words, "[");
	for (unsigned fd = 0; fd < count && fd < 8 * sizeof(*set); fd++)
		if (is_in(set, fd)) {
			wcm__words_text(words, is_first ? "" : " ");
			wcm__words_id(words, fd);
			is_first = false;
		}
	wcm__words_text(words, "]");
}

static uint64_t descriptors_of(const struct wcm_system_call *call)
{
	const int32_t count = (int32_t)call->argument[0];

	return count > 0 ? (uint64_t)count : 0;
}

void wcm__system_put_fdset(const struct wcm_system_value *value)
{
	const uint64_t count = descriptors_of(value->call);
	fd_set set;

	if (read_set((uintptr_t)value->value, count, &set))
		put_set(value->words, &set, count);
	else
		wcm__system_put_address(value);
}

static bool is_empty(const fd_set *set, uint64_t count)
{
	for (unsigned fd = 0; fd < count && fd < 8 * sizeof(*set); fd++)
		if (is_in(set, fd))
			return false;
	return true;
}

/* 1 (in [3], out [4]) */
void wcm__system_put_ready_select(const struct wcm_system_value *value)
{
	static const char *const names[] = { "in ", "out ", "except " };
	const uint64_t count = descriptors_of(value->call);
	const char *before = " (";
	fd_set set;

	wcm__system_put_number(value);
	if ((int32_t)value->value <= 0)
		return;
	for (unsigned i = 0; i < 3; i++) {
		if (!read_set((uintptr_t)value->call->argument[i + 1], count, &set) ||
		    is_empty(&set, count))
			continue;
		wcm__words_text(value->words, before);
		wcm__words_text(value->words, names[i]);
		put_set(value->words, &set, count);
		before = ", ";
	}
	if (*before == ',')
		wcm__words_text(value->words, ")");
}

static void put_epoll(struct wcm_words *words, uint64_t events)
{
	wcm__system_group(words, wcm__group_epoll, events);
}

static void put_event(const struct wcm_system_value *value, const void *element)
{
	struct epoll_event event;

	memcpy(&event, element, sizeof(event));
	wcm__system_member(value->words, "{events=", event.events, put_epoll);
	wcm__system_member(value->words, ", data=", event.data.u64, wcm__system_hex);
	wcm__words_text(value->words, "}");
}

void wcm__system_put_epoll_event(const struct wcm_system_value *value)
{
	struct epoll_event event;

	if (wcm__system_fetch(value, &event, sizeof(event)))
		put_event(value, &event);
}

/* The result is how many. */
void wcm__system_put_epoll_events(const struct wcm_system_value *value)
{
	wcm__system_array(value, (uint64_t)value->call->result, sizeof(struct epoll_event),
			  put_event);
}
