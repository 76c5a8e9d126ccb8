/* SPDX-License-Identifier: MIT */
/* living.c - lines for a program that is well and asked for them.
 *
 * One helper a process, one question at a time.  A helper that ends, or whose
 * descriptor the program closes, is started once more; after that, and after one that
 * does not answer in time, there are no lines any more.
 */
#include "lines/living.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "crash/clock.h"
#include "lines/asker.h"
#include "lines/failure.h"
#include "lines/resolver.h"
#include "unwind/self.h"

enum { TIMEOUT_MS = 5000, MOST_STARTS = 2 };

#define MILLISECOND ((uint64_t)1000000)

/* lines_control.c is pulled into a static link by its address. */
extern const char wcm__lines_control;
__attribute__((used)) static const char *const control = &wcm__lines_control;

/* Of the process that started the helper, what follows its id. */
static struct {
	bool wanted;
	bool planned; /* the next three are set */
	struct wcm_resolver_plan plan;
	bool source;
	uint32_t timeout_ms;
	int pid; /* 0: none has yet */
	unsigned starts;
	bool answered; /* a helper of it has, once */
	bool over;     /* no lines any more */
} living;

/* Of whose turn it is. */
static struct wcm_dialogue dialogue;
static struct wcm_spawn_stacks stacks;

bool wcm__living_wanted(void)
{
	return __atomic_load_n(&living.wanted, __ATOMIC_RELAXED);
}

static uint64_t timeout(void)
{
	return (living.timeout_ms ? living.timeout_ms : TIMEOUT_MS) *
	       MILLISECOND;
}

/* A child has no helper: that of its parent is not to be asked, nor killed. */
void wcm__living_forget(void)
{
	int pid = wcm__process_id();

	if (living.pid == pid)
		return;
	if (living.pid != 0)
		wcm__spawned_end(&dialogue.helper, false);
	dialogue.helper.fd = -1;
	living.pid = pid;
	living.starts = 0;
	living.answered = false;
	living.over = false;
}

/* A little more than whoever has it may take.  A helper that was left in the middle of
 * a question is no use any more, and not to blame. */
static bool take_turn(void)
{
	switch (wcm__asker_take(timeout() + 1000 * MILLISECOND)) {
	case WCM_ASKER_NONE:
		return false;
	case WCM_ASKER_TAKEN:
		break;
	case WCM_ASKER_LEFT:
		wcm__living_forget();
		wcm__spawned_end(&dialogue.helper, true);
		living.starts = 0;
		break;
	}
	return true;
}

static void end_helper(void)
{
	wcm__living_forget();
	wcm__spawned_end(&dialogue.helper, true);
	living.starts = 0;
	living.answered = false;
	living.over = false;
}

static bool make_plan(const struct wcm_lines_options *options)
{
	living.source = options->flags & WCM_LINES_SOURCE;
	living.timeout_ms = options->timeout_ms;
	living.planned = wcm__resolver_plan_init(&living.plan, options->helper,
						 WCM_DEBUG_DATA_SERVERS);
	return living.planned;
}

static bool give_up(const struct wcm_failure *failure)
{
	struct wcm_line line;

	living.over = true;
	if (!wcm__living_wanted())
		return false;
	wcm__line_init(&line, STDERR_FILENO);
	wcm__failure_add(&line, "no source lines", failure);
	wcm__line_write(&line);
	return false;
}

static bool give_up_because(const char *reason)
{
	return give_up(&(struct wcm_failure){ .path = living.plan.path,
					      .reason = reason });
}

/* Why a helper ends that has never answered: its libraries may be missing. */
static const char *hear(void)
{
	if (living.answered ||
	    wcm__resolver_start_loudly(&living.plan, &dialogue.helper,
				       &stacks) != 0)
		return NULL;
	return wcm__dialogue_last_words(&dialogue,
					wcm__clock_ns() + timeout());
}

static bool start_helper(void)
{
	static const struct wcm_lines_options by_default;
	static const struct wcm_failure too_long = {
		.reason = "WHOCALLME_HELPER is too long"
	};
	struct wcm_failure failure;
	int error;

	if (!living.planned && !make_plan(&by_default))
		return give_up(&too_long);
	if (!living.plan.wanted)
		return false;
	if (living.starts++ == MOST_STARTS)
		return give_up(&(struct wcm_failure){
			.path = living.plan.path,
			.reason = "it has ended twice",
			.words = hear() });
	error = wcm__resolver_start(&living.plan, living.source,
				    &dialogue.helper, &stacks);
	if (error == 0)
		return true;
	failure = wcm__failure_to_start(living.plan.path, error);
	return give_up(&failure);
}

static bool is_answered(uintptr_t site)
{
	uint64_t until = wcm__clock_ns() + timeout();

	wcm__living_forget();
	while (!living.over) {
		if (dialogue.helper.fd < 0 && !start_helper())
			return false;
		switch (wcm__dialogue_ask(&dialogue, site, until)) {
		case WCM_SILENCE_NONE:
			living.answered = true;
			return true;
		case WCM_SILENCE_ENDED:
			break;
		case WCM_SILENCE_LATE:
			return give_up_because("it does not answer in time");
		case WCM_SILENCE_NOISE:
			return give_up_because("it answers what is no answer");
		}
	}
	return false;
}

struct wcm_dialogue *wcm__living_ask(uintptr_t site)
{
	if (!take_turn())
		return NULL;
	if (is_answered(site))
		return &dialogue;
	wcm__asker_give_back();
	return NULL;
}

void wcm__living_give_back(struct wcm_dialogue *given)
{
	(void)given;
	wcm__asker_give_back();
}

static bool is_known(const struct wcm_lines_options *options)
{
	static const struct wcm_lines_options zero;

	return !(options->flags & ~WCM_LINES_SOURCE) &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

enum wcm_status wcm__living_start(const struct wcm_lines_options *options)
{
	static const struct wcm_lines_options by_default;
	bool is_planned;

	if (!options)
		options = &by_default;
	if (!is_known(options))
		return WCM_EINVAL;
	if (!take_turn())
		return WCM_ESYSTEM;
	end_helper();
	is_planned = make_plan(options);
	__atomic_store_n(&living.wanted, is_planned, __ATOMIC_RELAXED);
	wcm__asker_give_back();
	return is_planned ? WCM_OK : WCM_EINVAL;
}

void wcm__living_stop(void)
{
	__atomic_store_n(&living.wanted, false, __ATOMIC_RELAXED);
	if (!take_turn())
		return;
	end_helper();
	living.planned = false;
	wcm__asker_give_back();
}
