/* SPDX-License-Identifier: MIT */
/* trace_start.c - starts a trace, by call or by the environment, and finishes it at
 * exit.
 *
 * The gate opens last, when the mode's output is made and the names are loaded; hooks do
 * nothing before that.  A new trace finishes the one before it.
 */
#include "trace/start/trace_start.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "core/modules/stay.h"
#include "core/os/mask.h"
#include "core/os/owner.h"
#include "core/os/self.h"
#include "core/os/unwatched.h"
#include "core/os/work_stack.h"
#include "core/report/demangle.h"
#include "crash/files/report_file.h"
#include "crash/handler.h"
#include "crash/signals/altstack.h"
#include "format/glob.h"
#include "format/line.h"
#include "format/settings.h"
#include "load/load.h"
#include "trace/engine/gate.h"
#include "trace/engine/quiesce.h"
#include "trace/engine/ticks.h"
#include "trace/engine/trace_stderr.h"
#include "trace/engine/tracer_life.h"
#include "trace/filter/call_filter.h"
#include "trace/library/library_calls.h"
#include "trace/log/line_output.h"
#include "trace/names/name_cache.h"
#include "trace/probes/static_probes.h"
#include "trace/process/modes.h"
#include "trace/process/origin.h"
#include "trace/process/process_end.h"
#include "trace/process/readers.h"
#include "trace/process/trace_environment.h"
#include "trace/process/trace_stop.h"
#include "trace/sleds/sled_complaint.h"
#include "trace/start/carry.h"
#include "trace/start/flight_start.h"
#include "trace/system/system_calls.h"
#include "trace/system/system_slots.h"
#include "trace/values/words_memory.h"
#include "whocallme/crash.h"
#include "whocallme/trace.h"

static void say(const char *what, const char *why)
{
	wcm__line_say(wcm__trace_stderr(), what, NULL, why);
}

/* ERROR is negative. */
static const char *reason_of(long error)
{
	const char *reason = wcm__crash_file_reason((int)error);

	return reason ? reason : strerror((int)-error);
}

/* The list of a trace before is read by nobody any more. */
static const char *copy(char **kept, const char *list)
{
	free(*kept);
	*kept = list && *list ? strdup(list) : NULL;
	return *kept;
}

static bool has_lines_alone(const struct wcm_trace_options *options)
{
	return options->mode == WCM_TRACE_PAIRS || options->mode == WCM_TRACE_ADDRESSES;
}

/* Has calls into libraries be traced, as a trace's options ask for. */

static char *asked_calls; /* the list of the latest trace; NULL: none */
static uint64_t named; /* which globs of it have names */

/* Say which globs of the list choose nothing of what was called until now. */
static void library_calls_tell_uncalled(void)
{
	if (asked_calls)
		wcm__globs_tell_unseen("no traced library call of this program", "library-calls",
				       asked_calls,
				       wcm__library_calls_called(asked_calls) | ~named |
					       wcm__globs_drop(asked_calls));
}

/* Where that cannot be, a line on stderr says why. */
static void library_calls_on_or_complain(const struct wcm_trace_options *options)
{
	static char *callers;
	struct wcm_library_result result;

	wcm__library_calls_off();
	named = 0;
	copy(&callers, options->library_callers);
	if (!copy(&asked_calls, options->library_calls))
		return;
	result = wcm__library_calls_on(asked_calls, callers);
	if (result.refused) {
		say("library calls are not traced: this CPU's are not known", "");
	} else if (result.error) {
		say("library calls are not all traced: ", reason_of(-result.error));
	} else {
		named = result.seen;
		wcm__globs_tell_unseen("no library call", "library-calls", asked_calls, named);
	}
}

/* Has static probes be traced, as a trace's options ask for. */

enum { MOST_LISTED = 20 };

/* A line that is being written, and how many names it has. */
struct list {
	struct wcm_line *line;
	unsigned count;
};

static void add_name(const char *name, void *data)
{
	struct list *list = data;

	if (list->count < MOST_LISTED) {
		wcm__line_text(list->line, list->count > 0 ? ", " : "; there are ");
		wcm__line_name(list->line, name);
	}
	list->count++;
}

static void complain_of_none(const char *globs)
{
	struct wcm_line line;
	struct list list = { &line, 0 };

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "no probe matches --probes=");
	wcm__line_name(&line, globs);
	wcm__static_probes_list(add_name, &list);
	wcm__line_text(&line, list.count == 0	       ? "; there are none" :
			      list.count > MOST_LISTED ? " and others" :
							 "");
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static char *asked_probes; /* what the probes are of; NULL: none are traced */

static bool probes_find_or_complain(const struct wcm_trace_options *options)
{
	const bool is_known = wcm__arch_undispatched_code().lo != 0;
	const char *asked = has_lines_alone(options) ? NULL : options->probes;

	wcm__static_probes_off();
	wcm__static_probes_want(NULL);
	if (asked && *asked && !is_known)
		say("probes are not traced: this CPU's are not known", "");
	if (copy(&asked_probes, is_known ? asked : NULL))
		wcm__static_probes_want(asked_probes);
	return asked_probes;
}

/* Where the trace that ends has found none, a line on stderr says so, and what there is. */
static void probes_tell_unseen(void)
{
	if (asked_probes && !wcm__static_probes_match())
		complain_of_none(asked_probes);
}

/* Light those that have been found.  Where that cannot be, a line on stderr says why. */
static void probes_light_or_complain(void)
{
	const long error = wcm__static_probes_on();

	if (error != 0)
		say("probes are not all traced: ", reason_of(error));
}

/* Has system calls be traced, as a trace's options ask for. */

static const char *system_reason(long error)
{
	switch (error) {
	case -ESRCH:
		return "it cannot be asked";
	case -ENOSYS:
		return "this CPU's are not known";
	case -EBUSY:
		return "ptrace(2) traces the process";
	case -EINVAL:
		return "the kernel dispatches no system calls; Linux 5.11 and later do";
	default:
		return strerror((int)-error);
	}
}

/* WHAT is what is not traced, in thread TID or, that being 0, in others, if that is the error. */
static void complain_of_system(long error, int tid, const char *what)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, error == -ESRCH ? "the " : "");
	wcm__line_text(&line, what);
	if (error == -ESRCH && tid != 0) {
		wcm__line_text(&line, " of thread ");
		wcm__line_decimal(&line, tid);
	} else if (error == -ESRCH) {
		wcm__line_text(&line, " of other threads");
	}
	wcm__line_text(&line, " are not traced: ");
	wcm__line_text(&line, system_reason(error));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static char *asked_system;    /* the list of the latest trace; NULL: none */
static uint64_t named_system; /* which globs of it have names */

/* False: not in all threads. */
static bool turn_on(const char *globs, const char *what)
{
	int tid;
	const long error = wcm__system_calls_on(globs, &named_system, &tid);

	if (error != 0 && error != -ENOENT)
		complain_of_system(error, tid, what);
	else if (globs)
		wcm__globs_tell_unseen("no system call", "system-calls", globs, named_system);
	return error == 0;
}

/* Say which globs of the list choose nothing of what was traced until now.  Signal-safe. */
static void system_calls_tell_untraced(void)
{
	if (asked_system && wcm__system_calls_are_on())
		wcm__globs_tell_unseen("no traced system call of this program", "system-calls",
				       asked_system,
				       wcm__system_calls_traced(asked_system) | ~named_system |
					       wcm__globs_drop(asked_system));
}

/* Have that be said by the system call that ends this process, as long as a trace is open then. */
static bool tells_later;

static void tell_untraced(void *argument)
{
	(void)argument;
	system_calls_tell_untraced();
}

static void at_end(void)
{
	if (tells_later && wcm__gate_is_open() && wcm__gate.owner == wcm__process_id())
		wcm__work_stack_call(tell_untraced, NULL);
	wcm__process_end_finish();
}

/* The trace is open.  HAS_PROBES: probes are to be traced, too, for which signals are kept by the
 * same means.  False: not in all threads. */
static bool system_calls_on_or_complain(const struct wcm_trace_options *options, bool has_probes)
{
	wcm__system_calls_off();
	copy(&asked_system, has_lines_alone(options) ? NULL : options->system_calls);
	tells_later = false;
	wcm__system_calls_at_end(at_end, wcm__process_end_exec);
	wcm__system_calls_at_rights(wcm__readers_call, wcm__readers_look);
	wcm__static_probes_keep(has_probes);
	if (asked_system && turn_on(asked_system, "system calls"))
		return true;
	return has_probes && turn_on(NULL, "probes");
}

extern const char wcm__trace_control;
const char wcm__trace_control = 0;

static const struct mode {
	const struct wcm_sink *sink;
	bool names_callers; /* which may be in any module */
} modes[] = {
	[WCM_TRACE_PAIRS] = { &wcm__mode_pairs, true },
	[WCM_TRACE_LOG] = { &wcm__mode_log, false },
	[WCM_TRACE_ADDRESSES] = { &wcm__mode_addresses, false },
	[WCM_TRACE_RECORD] = { &wcm__mode_record, true },
	[WCM_TRACE_GRAPH] = { &wcm__mode_graph, true },
};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static const struct wcm_filter *latest_filter; /* of that trace; NULL: it has none */

/* The thread that starts, flushes or finishes a trace.  It may do so twice: by exit(3) in
 * a signal handler that has interrupted it. */
static struct wcm_owner starter;
static int depth;     /* how often it has it */
static struct wcm_unheard unheard;

/* SIGPIPE and SIGXFSZ are blocked until unlock(): what cannot be written is an error
 * meanwhile, and no signal. */
static void lock(void)
{
	if (wcm__owner_take(&starter, UINT64_MAX, wcm__owner_has_ended) == WCM_OWNED)
		depth = 0;
	if (depth++ == 0)
		unheard = wcm__mask_hush();
	wcm__system_calls_pause();
	wcm__unwatched_begin();
}

static void unlock(void)
{
	const struct wcm_unheard its = unheard;

	wcm__unwatched_end();
	if (--depth == 0) {
		wcm__owner_give_back(&starter);
		wcm__mask_hear(its, true);
		wcm__mask_set(wcm__system_calls_mask(its.before));
	}
	wcm__system_calls_resume();
}

/* One at a time of each. */
enum {
	TIMES = WCM_TRACE_ABSOLUTE_TIMES | WCM_TRACE_DELTA_TIMES,
	NAMES = WCM_TRACE_FULL_NAMES | WCM_TRACE_MANGLED_NAMES,
};

static bool is_known(const struct wcm_trace_options *options)
{
	static const struct wcm_trace_options zero;
	const uint32_t flags = WCM_TRACE_EXITS | WCM_TRACE_HIDE_CALLEES |
			       WCM_TRACE_NO_TIMES | WCM_TRACE_KEEP_CALLEES |
			       WCM_TRACE_REPLACE | WCM_TRACE_NO_DATA |
			       WCM_TRACE_NO_FUNCTIONS | WCM_TRACE_PATHS |
			       WCM_TRACE_ARTICLE | TIMES | NAMES;

	return options->mode < MODES &&
	       (options->flags & ~flags) == 0 && (options->flags & TIMES) != TIMES &&
	       (options->flags & NAMES) != NAMES &&
	       options->string_size <= WCM_WORDS_SHOWN_MOST &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

/* STOP is how it is stopped. */
static void finish(void (*stop)(void))
{
	const struct wcm_sink *mode = wcm__gate.mode;

	if (mode && mode->before_stop && wcm__gate_is_open())
		mode->before_stop();
	stop();
	wcm__quiesce_all();
	if (mode && mode->finish)
		mode->finish();
	__atomic_store_n(&wcm__gate.mode, NULL, __ATOMIC_RELAXED);
}

/* How long calls take is told by a graph, unless it is not to; and by what shows none
 * that are too short. */
static bool is_timed(const struct wcm_sink *mode, const struct wcm_filter *filter)
{
	return mode != &wcm__mode_graph || (filter && filter->min_ns > 0);
}

/* 0 is of no trace, WCM_TRACER_IDLE neither. */
static uint32_t following(uint32_t generation)
{
	return generation + 1 == WCM_TRACER_IDLE ? 1 : generation + 1;
}

/* How names are shown: those of the log are read, those of the other modes parsed. */
static wcm_name_writer *names_by(const struct wcm_trace_options *options)
{
	if (options->mode != WCM_TRACE_LOG || (options->flags & WCM_TRACE_FULL_NAMES))
		return wcm__line_demangled;
	return options->flags & WCM_TRACE_MANGLED_NAMES ? wcm__line_name : wcm__line_short;
}

/* A terminal has readers. */
static uint32_t flags_of(const struct wcm_trace_options *options)
{
	const bool is_read = options->mode == WCM_TRACE_LOG && wcm__line_output_is_terminal();

	return options->flags | (is_read ? WCM_TRACE_ARTICLE : 0);
}

/* Of sleds, which tell of them where they are asked for: it takes as long again. */
static bool wants_ends(const struct wcm_sink *mode)
{
	return (wcm__gate.flags & WCM_TRACE_EXITS) || wcm__gate.delays ||
	       (mode->wants_ends && !(wcm__gate.flags & WCM_TRACE_NO_TIMES));
}

static void open_gate(const struct wcm_sink *mode, uint32_t flags,
		      struct wcm_filter *filter)
{
	const uint32_t next = following(wcm__gate.generation);
	const struct wcm_sink *sink = wcm__unwatched_sink(mode);

	latest_filter = filter;
	if (filter) {
		filter->generation = next;
		sink = wcm__filter_wrap(filter, sink);
	}
	wcm__gate.roomy = sink;
	if (filter || mode->is_deep)
		sink = wcm__aside_sink(sink);
	wcm__gate.sink = sink;
	wcm__gate.hides = filter != NULL;
	wcm__gate.delays = filter && filter->min_ns > 0;
	wcm__gate.flags = is_timed(mode, filter) ? flags & ~WCM_TRACE_NO_TIMES :
						   flags;
	wcm__gate.returns = wants_ends(mode) && !wcm__arch_has_shadow_stack();
	wcm__gate.values = wcm__values_are_asked();
	wcm__gate.is_plain = wcm__gate.returns && !wcm__gate.values && sink->enter_fast;
	wcm__gate.is_given = wcm__gate.returns && wcm__gate.values && sink->enter_fast;
	wcm__gate.owner = (int)getpid();
	wcm__crash_also(wcm__process_end_crash);
	__atomic_store_n(&wcm__gate.mode, mode, __ATOMIC_RELAXED);
	__atomic_store_n(&wcm__gate.generation, next, __ATOMIC_RELEASE);
	__atomic_store_n(&wcm__gate.live, next, __ATOMIC_SEQ_CST);
}

static void complain_of_ends(const struct wcm_sink *mode)
{
	if (wcm__gate.returns || !wants_ends(mode) || !wcm__sleds_are_on())
		return;
	say("where calls of patchable functions end is not told: "
	    "return addresses have a shadow stack; without it, "
	    "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, it is", "");
}

/* Handlers run in a child in the order in which they were registered: most of the program's,
 * which are traced, later. */
static void watch_forks(void)
{
	static bool is_watching;

	if (!is_watching)
		is_watching = pthread_atfork(NULL, NULL, wcm__tracer_forked) == 0;
}

static enum wcm_status start(const struct wcm_trace_options *options, bool is_asked)
{
	const struct wcm_sink *mode;
	struct wcm_filter *filter;
	enum wcm_status status = wcm__filter_make(options, &filter);
	bool has_probes;

	if (status != WCM_OK)
		return status;
	finish(wcm_trace_stop);
	wcm__name_cache_show_by(names_by(options));
	if (modes[options->mode].names_callers)
		wcm__load_all(NULL); /* what has no table is named from .dynsym */
	else
		wcm__load_some(wcm__trace_is_of);
	wcm__ticks_prepare();
	wcm__altstack_expect(1);
	wcm__tracers_prepare();
	watch_forks();
	mode = modes[options->mode].sink;
	wcm__values_ask(options);
	library_calls_on_or_complain(options); /* a recording begins with their names */
	has_probes = probes_find_or_complain(options);
	if (options->system_calls) /* a recording begins with their names, too */
		wcm__system_slots_name();
	wcm__origin_begin(is_asked);
	status = mode->open(options);
	if (status != WCM_OK) {
		wcm__library_calls_off();
		return status;
	}
	if (!(options->flags & WCM_TRACE_NO_FUNCTIONS))
		wcm__sleds_on_or_complain(WCM_SLEDS_FOR_TRACE);
	wcm__gate.shown = options->string_size;
	open_gate(mode, flags_of(options), filter);
	complain_of_ends(mode);
	if (system_calls_on_or_complain(options, has_probes) && has_probes)
		probes_light_or_complain();
	wcm__values_complain();
	return status;
}

/* IS_ASKED: by the environment. */
static enum wcm_status start_alone(const struct wcm_trace_options *options, bool is_asked)
{
	static const struct wcm_trace_options none;
	enum wcm_status status;

	if (!options)
		options = &none;
	if (!is_known(options))
		return WCM_EINVAL;
	wcm__stay();
	lock();
	status = start(options, is_asked);
	unlock();
	return status;
}

enum wcm_status wcm_trace_start(const struct wcm_trace_options *options)
{
	return start_alone(options, false);
}

enum wcm_status wcm__trace_start_asked(const struct wcm_trace_options *options)
{
	const enum wcm_status status = start_alone(options, true);

	if (status == WCM_OK)
		wcm__origin_hand_on(wcm__line_output_headed());
	return status;
}

enum wcm_status wcm_trace_flush(void)
{
	enum wcm_status status;

	lock();
	status = wcm__gate.mode ? wcm__gate.mode->flush() : WCM_EINVAL;
	unlock();
	return status;
}

bool wcm__trace_mode(const char *name, uint32_t *mode)
{
	*mode = (uint32_t)wcm__word_of(wcm__takes_TRACE, name, strlen(name));
	return *mode < MODES;
}

static void tell_unseen(void)
{
	if (latest_filter) {
		/* Calls that are held back and have lasted are shown at the end, too. */
		wcm__unwatched_begin();
		if (wcm__gate_is_open())
			wcm__filter_show_open();
		wcm__unwatched_end();
		wcm__filter_tell_unseen(latest_filter);
	}
	probes_tell_unseen();
}

void wcm__trace_end(uint32_t generation)
{
	lock();
	if (wcm__gate.generation == generation && wcm__gate.mode) {
		tell_unseen();
		library_calls_tell_uncalled();
		system_calls_tell_untraced();
		finish(wcm_trace_stop);
	}
	unlock();
}

void wcm__trace_abandon(uint32_t generation)
{
	const struct wcm_sink *mode = wcm__gate.mode;

	if (wcm__gate.generation != generation || !mode)
		return;
	wcm__gate_close();
	wcm__sleds_off(WCM_SLEDS_FOR_TRACE);
	wcm__library_calls_off();
	wcm__static_probes_off();
	wcm__system_calls_off();
	if (mode != &wcm__mode_record && mode != &wcm__mode_graph)
		wcm__line_output_abandon();
	__atomic_store_n(&wcm__gate.mode, NULL, __ATOMIC_RELAXED);
}

static void refuse(const char *mode)
{
	char takes[WCM_SETTING_TAKES];
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "WHOCALLME_TRACE=");
	wcm__line_name(&line, mode);
	wcm__line_text(&line, " is unknown; it takes \"");
	wcm__words_join(takes, sizeof(takes), wcm__takes_TRACE, "\", \"", "\", \"");
	wcm__line_text(&line, takes);
	wcm__line_text(&line, "\"\n");
	wcm__line_write(&line);
}

/* A recording has said it before. */
static void complain_why(struct wcm_line *line, int error)
{
	if (error == 0)
		return;
	wcm__line_text(line, ": ");
	wcm__line_text(line, error == EXDEV ? wcm__crash_file_reason(-error) :
					      strerror(error));
}

static void complain(const char *mode, enum wcm_status status, const char *output,
		     int error)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "nothing is traced: WHOCALLME_TRACE=");
	wcm__line_text(&line, mode);
	if (status == WCM_EINVAL) {
		wcm__line_text(&line, " is not built in");
	} else {
		wcm__line_text(&line, ": ");
		wcm__line_text(&line, wcm_status_text(status));
	}
	if (status == WCM_EOPEN && output) {
		wcm__line_text(&line, ": WHOCALLME_OUTPUT=");
		wcm__line_name(&line, output);
		complain_why(&line, error);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* A graph is in memory until it is written, and so are the words of system calls until they end:
 * not to be lost with the process. */
static void watch_end(void)
{
	wcm_crash_install(NULL);
	if (wcm__gate.mode == &wcm__mode_graph ||
	    (wcm__gate.mode == &wcm__mode_log && wcm__system_calls_are_on()))
		wcm__process_end_watch_signals();
}

/* The process that the environment has traced, which says what else it was asked for;
 * its children leave that to it. */
static pid_t asked;

/* False: nothing is traced, which has been said. */
static bool start_as_asked(struct wcm_trace_options *options, const char *mode)
{
	struct wcm_trace_filter filter;
	enum wcm_status status;

	if (!wcm__trace_environment(NULL, options, &filter))
		return false;
	status = wcm__trace_start_asked(options);
	if (status != WCM_OK) {
		complain(mode, status, options->output,
			 options->mode == WCM_TRACE_RECORD ? 0 : errno);
		return false;
	}
	asked = getpid();
	if (!wcm__trace_is_inherited())
		tells_later = true;
	wcm__carry_begin();
	return true;
}

/* Sleds that no list tells of are found by their functions' names. */
enum wcm_status wcm_flight_start(uint32_t calls)
{
	wcm__stay();
	lock();
	wcm__load_some(wcm__trace_is_of);
	wcm__flight_start(calls);
	unlock();
	return WCM_OK;
}

/* Whether the preloaded crash report is there, which has last calls of its own. */
static bool is_reported_by_preload(void)
{
	const char *preloaded = secure_getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "libwhocallme-preload.so");
}

/* It is of use in a report. */
static void start_flight_as_asked(void)
{
	const uint32_t calls = is_reported_by_preload() ? 0 : wcm__flight_asked();

	if (calls == 0)
		return;
	wcm_flight_start(calls);
	if (wcm__trace_watches_signals())
		wcm_crash_install(NULL);
}

static void start_from_environment(void)
{
	const char *mode = wcm__setting(NULL, WCM_SET_TRACE);
	struct wcm_trace_options options = { 0 };

	wcm__trace_stderr_note();
	start_flight_as_asked();
	if (!mode)
		return;
	if (wcm__trace_is_pointless()) {
		wcm__origin_begin(true);
		wcm__origin_hand_on(wcm__origin_headed());
		wcm__carry_begin();
		return;
	}
	if (!wcm__trace_mode(mode, &options.mode))
		refuse(mode);
	else if (start_as_asked(&options, mode) && wcm__trace_watches_signals())
		watch_end();
}

__attribute__((constructor)) static void start_at_load(void)
{
	wcm__system_calls_pause();
	start_from_environment();
	wcm__system_calls_resume();
}

/* System calls that the exit is still to make may be traced.  Modules are looked at here alone: the
 * dynamic linker unloads none while it runs destructors, as it may while the program goes on. */
static void tell_at_exit(void)
{
	if (wcm__trace_tells_unseen()) {
		tell_unseen();
		wcm__foreign_hooks_tell();
	}
	if (wcm__trace_is_inherited())
		return;
	library_calls_tell_uncalled();
	if (!wcm__process_end_comes_later())
		system_calls_tell_untraced();
}

__attribute__((destructor)) static void finish_at_exit(void)
{
	lock();
	if (asked == getpid() && wcm__gate.mode)
		tell_at_exit();
	if (!wcm__process_end_comes_later())
		finish(wcm__trace_close);
	else if (wcm__gate.mode->before_end)
		wcm__gate.mode->before_end();
	unlock();
}
