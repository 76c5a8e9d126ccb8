/* SPDX-License-Identifier: MIT */
/* open_words.c (SAFE) - keeps the words of calls that are open until they end.
 *
 * They lie one behind the other, each before what tells whose it is.  Calls mostly end in the
 * reverse order; where a thread has several stacks, those that ended between others are marked,
 * and forgotten when they are the last.
 */
#include "trace/log/open_words.h"

#include <stdbool.h>
#include <string.h>

#include "core/os/slab.h"

enum { ROOM = 256 << 10, MOST_LOOKS = 1024 };

/* What is behind the words of a call. */
struct owner {
	uintptr_t cfa;
	uint64_t begin; /* when the call did */
	uint32_t size;  /* of its words */
	bool is_over;
};

static struct owner *owner_at(const struct wcm_open_words *words, size_t end)
{
	return (struct owner *)(words->room + end) - 1;
}

/* Where the words of OWNER begin, which ends at END; beyond END: it is no owner. */
static size_t begin_of(const struct owner *owner, size_t end)
{
	if (owner->size > end)
		return SIZE_MAX;
	return end - sizeof(*owner) - (owner->size + 7u) / 8 * 8;
}

void wcm__open_words_keep(struct wcm_open_words *words, const struct wcm_call *call,
			  const char *text, size_t size)
{
	const size_t end = words->used + (size + 7) / 8 * 8 + sizeof(struct owner);

	if (!words->room)
		words->room = wcm__slab_take(ROOM);
	if (!words->room)
		return;
	if (end > ROOM) {
		words->used = 0;
		return;
	}
	memcpy(words->room + words->used, text, size);
	*owner_at(words, end) = (struct owner){ .cfa = call->cfa, .begin = call->begin,
						.size = (uint32_t)size };
	/* Last: a handler may jump out of here, and what is before END is to be an owner. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	words->used = end;
}

/* A jump out of a handler may leave an owner half written: words that begin nowhere are all
 * forgotten. */
static void forget_last(struct wcm_open_words *words)
{
	while (words->used >= sizeof(struct owner) && owner_at(words, words->used)->is_over) {
		const size_t begin = begin_of(owner_at(words, words->used), words->used);

		words->used = begin < words->used ? begin : 0;
	}
}

/* What is CALL's, and where its words begin; NULL: there are none. */
static struct owner *find(const struct wcm_open_words *words, const struct wcm_call *call,
			  const char **text)
{
	size_t end = words->used;

	for (int looks = 0; end >= sizeof(struct owner) && looks < MOST_LOOKS; looks++) {
		struct owner *owner = owner_at(words, end);
		const size_t begin = begin_of(owner, end);

		if (begin > end)
			break; /* another thread's, which changes it */
		if (!owner->is_over && owner->cfa == call->cfa && owner->begin == call->begin) {
			*text = words->room + begin;
			return owner;
		}
		end = begin;
	}
	return NULL;
}

size_t wcm__open_words_find(const struct wcm_open_words *words, const struct wcm_call *call,
			    const char **text)
{
	const struct owner *owner = find(words, call, text);

	return owner ? owner->size : 0;
}

size_t wcm__open_words_take(struct wcm_open_words *words, const struct wcm_call *call,
			    const char **text)
{
	struct owner *owner = find(words, call, text);

	if (!owner)
		return 0;
	owner->is_over = true;
	forget_last(words);
	return owner->size;
}
