/* SPDX-License-Identifier: MIT */
/* resolver_session.c (SAFE) - asks the resolver for lines in a process that has not crashed.
 *
 * A process has one resolver, which takes one request at a time.  One that ends, or
 * whose descriptor the program closes, is started once more; after that, and after one
 * that does not answer in time, there are no more lines.
 */
#include "lines/resolver_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "core/os/self.h"
#include "lines/failure.h"
#include "lines/resolver.h"
#include "lines/resolver_turn.h"

enum { TIMEOUT_MS = 5000, MOST_STARTS = 2 };

#define MILLISECOND ((uint64_t)1000000)

/* lines_control.c is pulled into a static link by its address. */
extern const char wcm__lines_control;
__attribute__((used)) static const char *const control = &wcm__lines_control;

/* Of the process that started the resolver, what follows its id. */
static struct {
	bool wanted;
	bool planned; /* the next three are set */
	struct wcm_resolver_plan plan;
	bool source;
	uint32_t timeout_ms;
	int pid; /* 0: none has yet */
	unsigned starts;
	bool answered; /* a resolver of it has, once */
	bool over;     /* no lines any more */
} session;

/* Of whose turn it is. */
static struct wcm_resolver resolver;
static struct wcm_spawn_stacks stacks;

bool wcm__lines_wanted(void)
{
	return __atomic_load_n(&session.wanted, __ATOMIC_RELAXED);
}

static uint64_t timeout(void)
{
	return (session.timeout_ms ? session.timeout_ms : TIMEOUT_MS) *
	       MILLISECOND;
}

/* A child has no resolver: that of its parent is not to be asked, nor killed. */
void wcm__lines_forget(void)
{
	int pid = wcm__process_id();

	if (session.pid == pid)
		return;
	if (session.pid != 0)
		wcm__spawned_end(&resolver.process, false);
	resolver.process.fd = -1;
	session.pid = pid;
	session.starts = 0;
	session.answered = false;
	session.over = false;
}

/* A little more than whoever has it may take.  A resolver that was left in the middle of
 * a request is no use any more, and not to blame. */
static bool take_turn(void)
{
	switch (wcm__resolver_turn_take(timeout() + 1000 * MILLISECOND)) {
	case WCM_RESOLVER_TURN_NONE:
		return false;
	case WCM_RESOLVER_TURN_TAKEN:
		break;
	case WCM_RESOLVER_TURN_LEFT:
		wcm__lines_forget();
		wcm__spawned_end(&resolver.process, true);
		session.starts = 0;
		break;
	}
	return true;
}

static void end_resolver(void)
{
	wcm__lines_forget();
	wcm__spawned_end(&resolver.process, true);
	session.starts = 0;
	session.answered = false;
	session.over = false;
}

static bool make_plan(const struct wcm_lines_options *options)
{
	session.source = options->flags & WCM_LINES_SOURCE;
	session.timeout_ms = options->timeout_ms;
	session.planned = wcm__resolver_plan_init(&session.plan, options->helper,
						 WCM_DEBUG_DATA_SERVERS);
	return session.planned;
}

static bool give_up(const struct wcm_failure *failure)
{
	struct wcm_line line;

	session.over = true;
	if (!wcm__lines_wanted())
		return false;
	wcm__line_init(&line, STDERR_FILENO);
	wcm__failure_add(&line, "no source lines", failure);
	wcm__line_write(&line);
	return false;
}

static bool give_up_because(const char *reason)
{
	return give_up(&(struct wcm_failure){ .path = session.plan.path,
					      .reason = reason });
}

/* Why a resolver ends that has never answered: its libraries may be missing. */
static const char *hear(void)
{
	if (session.answered ||
	    wcm__resolver_start_loudly(&session.plan, &resolver.process,
				       &stacks) != 0)
		return NULL;
	return wcm__resolver_last_words(&resolver,
					wcm__clock_ns() + timeout());
}

static bool start_resolver(void)
{
	static const struct wcm_lines_options by_default;
	static const struct wcm_failure too_long = {
		.reason = "WHOCALLME_HELPER is too long"
	};
	struct wcm_failure failure;
	int error;

	if (!session.planned && !make_plan(&by_default))
		return give_up(&too_long);
	if (!session.plan.wanted)
		return false;
	if (session.starts++ == MOST_STARTS)
		return give_up(&(struct wcm_failure){
			.path = session.plan.path,
			.reason = "it has ended twice",
			.words = hear() });
	error = wcm__resolver_start(&session.plan, session.source,
				    &resolver.process, &stacks);
	if (error == 0)
		return true;
	failure = wcm__failure_to_start(session.plan.path, error);
	return give_up(&failure);
}

static bool is_answered(uintptr_t site)
{
	uint64_t until = wcm__clock_ns() + timeout();

	wcm__lines_forget();
	while (!session.over) {
		if (resolver.process.fd < 0 && !start_resolver())
			return false;
		switch (wcm__resolver_ask(&resolver, site, until)) {
		case WCM_SILENCE_NONE:
			session.answered = true;
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

struct wcm_resolver *wcm__lines_ask(uintptr_t site)
{
	if (!take_turn())
		return NULL;
	if (is_answered(site))
		return &resolver;
	wcm__resolver_turn_give_back();
	return NULL;
}

void wcm__lines_give_back(struct wcm_resolver *given)
{
	(void)given;
	wcm__resolver_turn_give_back();
}

static bool is_known(const struct wcm_lines_options *options)
{
	static const struct wcm_lines_options zero;

	return !(options->flags & ~WCM_LINES_SOURCE) &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

enum wcm_status wcm__lines_start(const struct wcm_lines_options *options)
{
	static const struct wcm_lines_options by_default;
	bool is_planned;

	if (!options)
		options = &by_default;
	if (!is_known(options))
		return WCM_EINVAL;
	if (!take_turn())
		return WCM_ESYSTEM;
	end_resolver();
	is_planned = make_plan(options);
	__atomic_store_n(&session.wanted, is_planned, __ATOMIC_RELAXED);
	wcm__resolver_turn_give_back();
	return is_planned ? WCM_OK : WCM_EINVAL;
}

void wcm__lines_stop(void)
{
	__atomic_store_n(&session.wanted, false, __ATOMIC_RELAXED);
	if (!take_turn())
		return;
	end_resolver();
	session.planned = false;
	wcm__resolver_turn_give_back();
}
