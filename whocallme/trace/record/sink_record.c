/* SPDX-License-Identifier: MIT */
/* sink_record.c (SAFE) - puts every call into the recording.
 *
 * A call is two records in its thread's file.  What a thread records with is mapped at
 * its first event, and stays with its tracer.
 */
#include "trace/record/sink_record.h"

#include <errno.h>

#include "core/modules/modules.h"
#include "core/os/mask.h"
#include "core/os/self.h"
#include "core/os/slab.h"
#include "core/symbols/slot_names.h"
#include "core/unwind/changed_return.h"
#include "format/glob.h"
#include "trace/engine/aside.h"
#include "trace/engine/shadow.h"
#include "trace/engine/sharing.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"
#include "trace/engine/tracer_life.h"
#include "trace/filter/known_values.h"
#include "trace/names/recorded_modules.h"
#include "trace/record/prefault.h"
#include "trace/record/record_files.h"
#include "trace/record/ring.h"
#include "trace/record/task_file.h"
#include "trace/record/worded_data.h"
#include "trace/system/system_slots.h"
#include "trace/values/value_data.h"

/* A function whose values have been recorded: what a first stage does. */
struct known {
	uintptr_t func; /* 0: none */
	struct wcm_value_moves given, back;
};

enum { KNOWN_BITS = 7, MOST_WORDS = WCM_MOVES_MOST * 6 + 2 };

/* What a thread records with. */
struct wcm_recorder {
	struct wcm_ring ring;
	struct wcm_recorded_last last;
	bool forks; /* is in fork(2), whose entry is recorded */
	bool has_known;
	struct wcm_span constants[WCM_MOVES_SPANS]; /* of modules in which strings were */
	struct known known[1 << KNOWN_BITS];
};

static uint64_t lost_before; /* by rings that have been begun anew, and without a ring */

void wcm__record_abandon(int tid, const struct wcm_tracer *but)
{
	for (struct wcm_tracer *other = wcm__tracer_first(); other;
	     other = other->next) {
		struct wcm_recorder *recorder = other->recorder;

		if (other != but && recorder && recorder->ring.tid == tid)
			wcm__ring_abandon(&recorder->ring);
	}
}

/* The thread's file ends with OPEN calls under way, because of an exec, or of a task that has
 * ended and whose number has come again: nothing is known of that one after its last record. */
static void end_open(struct wcm_ring *ring, uint32_t open, bool is_child)
{
	if (!is_child && ring->tid == ring->pid && wcm__recording.execve)
		wcm__ring_put(ring, wcm__recording.start - 1,
			      wcm__record_bits(WCM_RECORD_ENTRY, open,
					       wcm__recording.execve));
	else
		wcm__ring_put(ring, ring->before, wcm__record_bits(WCM_RECORD_LOST, 0, 0));
}

static void prepare_rings(void)
{
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		struct wcm_recorder *recorder =
			__atomic_load_n(&tracer->recorder, __ATOMIC_ACQUIRE);

		if (recorder)
			wcm__ring_prepare(&recorder->ring);
	}
}

/* The calls that a forked child takes over from its parent. */
static uint32_t count_open(const struct wcm_tracer *tracer)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	return shadow ? wcm__shadow_shown(shadow) : 0;
}

/* BITS of a call that fork(2) makes are within that, which hooks do not tell of. */
static inline uint64_t within_fork(const struct wcm_recorder *recorder, uint64_t bits)
{
	return __builtin_expect(!recorder->forks, 1) ? bits :
		wcm__record_bits(wcm__record_type(bits), wcm__record_depth(bits) + 1,
				 wcm__record_value(bits));
}

static void put(struct wcm_tracer *tracer, uint64_t time, uint64_t bits)
{
	struct wcm_recorder *recorder = tracer->recorder;

	if (!wcm__ring_put(&recorder->ring, time, within_fork(recorder, bits)))
		tracer->lost++;
}

static void put_fork(struct wcm_tracer *tracer, enum wcm_record_type type)
{
	tracer->last = wcm__ticks_after(tracer->last);
	tracer->recorder->forks = false;
	put(tracer, tracer->last,
	    wcm__record_bits(type, count_open(tracer), wcm__recording.fork));
	tracer->recorder->forks = type == WCM_RECORD_ENTRY;
}

/* Of another trace: memory that is not used is not touched.  One by one, for a loop over bytes is
 * made a call of libc's. */
static void forget_known(struct wcm_recorder *recorder)
{
	for (size_t i = 0; recorder->has_known && i < 1 << KNOWN_BITS; i++)
		__atomic_store_n(&recorder->known[i].func, 0, __ATOMIC_RELAXED);
	recorder->has_known = false;
}

static struct known *known_at(struct wcm_recorder *recorder, uintptr_t func)
{
	return &recorder->known[(uint64_t)func * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS)];
}

static bool begin(struct wcm_tracer *tracer)
{
	struct wcm_recorder *recorder = tracer->recorder;
	const bool is_child = wcm__recording.pid != tracer->pid;
	uint32_t open = 0;

	if (!recorder && !(recorder = wcm__slab_take(sizeof(*recorder))))
		return wcm__tracers_starve();
	if (is_child && !wcm__recording_is_here()) {
		wcm__recording_fail(-EXDEV);
		return false;
	}
	wcm__ring_end(&recorder->ring);
	wcm__ring_disown(&recorder->ring);
	__atomic_fetch_add(&lost_before, recorder->ring.lost, __ATOMIC_RELAXED);
	recorder->last = (struct wcm_recorded_last){ 0 };
	forget_known(recorder);
	wcm__record_abandon(tracer->tid, tracer);
	if (!wcm__ring_begin(&recorder->ring, tracer->pid, tracer->tid, &open)) {
		__atomic_store_n(&tracer->recorder, recorder, __ATOMIC_RELEASE);
		return false;
	}
	wcm__recording_add_task(tracer->pid, tracer->tid, wcm__ticks_ns(),
				count_open(tracer));
	if (open > 0)
		end_open(&recorder->ring, open, is_child);
	if (recorder->forks && is_child)
		put_fork(tracer, WCM_RECORD_EXIT);
	recorder->forks = false;
	wcm__prefault_start(prepare_rings);
	__atomic_store_n(&tracer->recorder, recorder, __ATOMIC_RELEASE);
	return true;
}

bool wcm__record_begin(struct wcm_tracer *tracer)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);
	const struct wcm_unheard unheard = wcm__mask_hush();
	const bool begun = !wcm__recording.failed && begin(tracer);

	wcm__mask_hear(unheard, true);
	wcm__mask_set(mask);
	return begun;
}

/* Note the module of each string of PASSED, what a function is given by KNOWN's moves, so that the
 * next is read where it lies. */
static void know_constants(struct wcm_recorder *recorder, const struct known *known,
			   const struct wcm_passed *passed)
{
	struct wcm_span found;

	for (unsigned i = 0; i < known->given.count; i++) {
		const struct wcm_value_move *move = &known->given.move[i];
		const uintptr_t at = move->size == 0 ? passed->frame[move->from] : 0;

		if (at == 0 || wcm__span_holds(&recorder->constants[0], at, 1) ||
		    !wcm__modules_table_span(at, &found))
			continue;
		recorder->constants[1] = recorder->constants[0];
		recorder->constants[0] = found;
	}
}

/* Have a first stage know what it is to do for FUNC. */
static void know(struct wcm_recorder *recorder, uintptr_t func, const char *codes,
		 const struct wcm_passed *passed)
{
	struct known *known = known_at(recorder, func);

	if (known->func != func) {
		recorder->has_known = true;
		wcm__value_moves_make(&known->given, codes ? codes : "v", false);
		wcm__value_moves_make(&known->back, codes ? codes : "v", true);
		__atomic_store_n(&known->func, func, __ATOMIC_RELAXED);
	}
	if (passed->stack != 0 && known->given.does)
		know_constants(recorder, known, passed);
}

/* The same with DATA behind it.  False: there are none. */
static bool put_data(struct wcm_tracer *tracer, uint64_t time, uint64_t bits,
		     const struct wcm_value_data *data)
{
	struct wcm_recorder *recorder = tracer->recorder;

	if (data->count == 0)
		return false;
	if (!wcm__ring_put_data(&recorder->ring, time,
				wcm__record_with_data(within_fork(recorder, bits)),
				data->word, data->count))
		tracer->lost++;
	return true;
}

/* The same with the values of PASSED behind it, of a call of FUNC, which MAKE makes data of.
 * False: none are known. */
static bool put_values(struct wcm_tracer *tracer, uint64_t time, uint64_t bits, uintptr_t func,
		       const struct wcm_passed *passed,
		       wcm_value_data_maker *make)
{
	const char *codes = passed ? wcm__known_values_of(func) : NULL;
	struct wcm_value_data data;

	if (passed)
		know(tracer->recorder, func, codes, passed);
	if (!codes)
		return false;
	make(&data, codes, *passed);
	return put_data(tracer, time, bits, &data);
}

/* The same with the words of CALL, a system call or a probe, which begins.  A filter may tell of
 * another late. */
static bool put_worded(struct wcm_tracer *tracer, const struct wcm_call *call, uint64_t bits)
{
	struct wcm_value_data data;

	if (wcm__tracer_system(tracer) && wcm__is_system_address(call->func))
		wcm__worded_given(&data, wcm__tracer_system(tracer));
	else if (wcm__tracer_probe(tracer) && call->begin == tracer->last &&
		 wcm__recorded_last_is_first(&tracer->recorder->last, call->func))
		wcm__worded_probe(&data, wcm__tracer_probe(tracer));
	else
		return false;
	return put_data(tracer, call->begin, bits, &data);
}

/* The same with those of a system call that has ended by END. */
static bool put_worded_end(struct wcm_tracer *tracer, uint64_t time, uint64_t bits,
			   enum wcm_end end)
{
	struct wcm_value_data data;

	wcm__worded_back(&data, end == WCM_END_EXIT ? wcm__tracer_system(tracer) : NULL);
	return put_data(tracer, time, bits, &data);
}

/* These are not inlined, for they would cost every call registers. */
__attribute__((noinline)) static void put_entry(struct wcm_tracer *tracer,
						const struct wcm_call *call, uint64_t bits)
{
	if (!put_worded(tracer, call, bits) &&
	    !put_values(tracer, call->begin, bits, call->func, wcm__tracer_given(tracer, call),
			wcm__value_data_arguments))
		put(tracer, call->begin, bits);
}

__attribute__((noinline)) static void put_exit(struct wcm_tracer *tracer,
					       const struct wcm_call *call, uint64_t bits,
					       uint64_t now, enum wcm_end end)
{
	const struct wcm_passed *passed = wcm__tracer_given_back(tracer, end);

	if (wcm__is_system_address(call->func) ?
		    !put_worded_end(tracer, now, bits, end) :
		    !put_values(tracer, now, bits, call->func, passed, wcm__value_data_result))
		put(tracer, now, bits);
}

struct call_of {
	struct wcm_recorder *recorder;
	const struct wcm_call *call;
};

static void note_aside(void *argument)
{
	const struct call_of *of = argument;

	wcm__recorded_note(&of->recorder->last, of->call->func, of->call->begin);
}

__attribute__((noinline)) static void note_module(struct wcm_tracer *tracer,
						  const struct wcm_call *call)
{
	wcm__aside(tracer, note_aside, &(struct call_of){ tracer->recorder, call });
}

void wcm__record_enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	const uint64_t bits = wcm__record_bits(WCM_RECORD_ENTRY, depth, call->func);

	if (__builtin_expect(!wcm__recorded_is_last(&tracer->recorder->last, call->func), 0))
		note_module(tracer, call);
	if (__builtin_expect(tracer->told != NULL, 0))
		put_entry(tracer, call, bits);
	else
		put(tracer, call->begin, bits);
}

void wcm__record_leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	const uint64_t bits = wcm__record_bits(WCM_RECORD_EXIT, depth, call->func);

	if (__builtin_expect(tracer->told != NULL || end != WCM_END_EXIT, 0))
		put_exit(tracer, call, bits, now, end);
	else
		put(tracer, now, bits);
}

/* Put BITS, of a call of a known function, with the data that MOVES make of GIVEN. */
__attribute__((always_inline)) static inline bool
put_given(struct wcm_recorder *recorder, uint64_t time, uint64_t bits,
	  const struct wcm_value_moves *moves, const struct wcm_given *given)
{
	const struct wcm_value_source source = { given->frame, given->vectors,
						 recorder->constants };
	uint64_t word[MOST_WORDS];
	int count = moves->does ? wcm__value_moves_run(moves, &source, word) : -1;

	if (count < 0)
		return false;
	return wcm__ring_append_data(&recorder->ring, time,
				     count > 0 ? wcm__record_with_data(bits) : bits, word,
				     (size_t)count);
}

/* These are not inlined: on the program's stack there is room for one way alone. */
__attribute__((noinline)) static bool enter_given(struct wcm_recorder *recorder,
						  struct wcm_call *call, uint32_t depth,
						  const struct wcm_given *given)
{
	const struct known *known = known_at(recorder, call->func);

	return known->func == call->func && !recorder->forks &&
	       wcm__recorded_is_last(&recorder->last, call->func) &&
	       put_given(recorder, call->begin,
			 wcm__record_bits(WCM_RECORD_ENTRY, depth, call->func), &known->given,
			 given);
}

bool wcm__record_enter_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			    const struct wcm_given *given)
{
	struct wcm_recorder *recorder = tracer->recorder;

	if (__builtin_expect(given != NULL, 0))
		return enter_given(recorder, call, depth, given);
	if (!wcm__recorded_is_last(&recorder->last, call->func) || recorder->forks ||
	    !wcm__ring_has_room(&recorder->ring))
		return false;
	wcm__ring_append(&recorder->ring, call->begin,
			 wcm__record_bits(WCM_RECORD_ENTRY, depth, call->func));
	return true;
}

__attribute__((noinline)) static bool leave_given(struct wcm_recorder *recorder,
						  struct wcm_call *call, uint32_t depth,
						  uint64_t now, const struct wcm_given *given)
{
	const struct known *known = known_at(recorder, call->func);

	return known->func == call->func && !recorder->forks &&
	       put_given(recorder, now, wcm__record_bits(WCM_RECORD_EXIT, depth, call->func),
			 &known->back, given);
}

bool wcm__record_leave_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			    uint64_t now, const struct wcm_given *given)
{
	struct wcm_recorder *recorder = tracer->recorder;

	if (__builtin_expect(given != NULL, 0))
		return leave_given(recorder, call, depth, now, given);
	if (recorder->forks || !wcm__ring_has_room(&recorder->ring))
		return false;
	wcm__ring_append(&recorder->ring, now,
			 wcm__record_bits(WCM_RECORD_EXIT, depth, call->func));
	return true;
}

/* A child of fork(2) may have got the thread's number. */
void wcm__record_before_close(struct wcm_tracer *tracer)
{
	struct wcm_recorder *recorder = tracer->recorder;

	if (recorder)
		wcm__ring_check_file(&recorder->ring);
}

bool wcm__record_end(struct wcm_tracer *tracer)
{
	struct wcm_recorder *recorder = tracer->recorder;

	wcm__ring_end(&recorder->ring);
	wcm__ring_disown(&recorder->ring);
	return true;
}

/* Whether fork(2) is left out.  It is there where a filter shows what calls it, for the
 * child's depth is told by it; but calls that may be too short come later. */
static bool is_fork_hidden(const struct wcm_tracer *tracer)
{
	return wcm__gate.delays || (wcm__gate.hides && count_open(tracer) == 0);
}

static bool is_name_of_fork(const char *name)
{
	size_t size = 0;

	while (name && name[size])
		size++;
	return name && wcm__globs_match("fork,__fork,__libc_fork", name, size);
}

/* Whether the innermost call is the program's one of fork(2), as a call into a library: it is in
 * the recording already, and returns in the child, too. */
static bool is_fork_told(const struct wcm_tracer *tracer)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	const struct wcm_call *top =
		shadow && shadow->depth > 0 ? wcm__shadow_innermost(shadow) : NULL;

	return top && !(top->flags & WCM_CALL_HIDDEN) &&
	       is_name_of_fork(wcm__slot_name(top->func));
}

static void note_fork(struct wcm_tracer *tracer, enum wcm_record_type type)
{
	const struct wcm_regs here = {
		.pc = (uintptr_t)__builtin_return_address(0),
		.sp = (uintptr_t)__builtin_frame_address(0),
	};

	if (!wcm__tracer_enter(tracer, &here))
		return;
	if (type == WCM_RECORD_EXIT ? tracer->recorder->forks :
				      !is_fork_hidden(tracer) && !is_fork_told(tracer))
		put_fork(tracer, type);
	wcm__tracer_leave(tracer);
}

/* A thread that is in a hook, or traces nothing, has nothing to say. */
static void note_fork_masked(enum wcm_record_type type)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);
	const struct wcm_sink *mode = wcm__gate_mode();
	struct wcm_tracer *tracer =
		wcm__sharing_tracer((uintptr_t)__builtin_frame_address(0));

	if (!tracer || tracer->inside || !mode || mode->enter != wcm__record_enter)
		tracer = NULL;
	else if (wcm__tracer_is_in_child())
		tracer = wcm__tracer_begin(tracer);
	if (tracer)
		note_fork(tracer, type);
	wcm__mask_set(mask);
}

void wcm__recording_before_fork(void)
{
	note_fork_masked(WCM_RECORD_ENTRY);
}

void wcm__recording_after_fork(void)
{
	note_fork_masked(WCM_RECORD_EXIT);
}

/* The windows of the parent's threads are the parent's. */
void wcm__record_fork(void)
{
	wcm__prefault_forget();
	wcm__recording_forget_lost();
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		struct wcm_recorder *recorder = tracer->recorder;

		if (!recorder)
			continue;
		wcm__ring_disown(&recorder->ring);
		recorder->forks &= tracer == wcm__tracer_own;
	}
}

void wcm__recording_before_exec(void)
{
	const struct wcm_tracer *tracer =
		wcm__sharing_tracer((uintptr_t)__builtin_frame_address(0));
	const struct wcm_recorder *recorder = tracer ? tracer->recorder : NULL;
	struct wcm_unheard unheard;

	if (!recorder || recorder->ring.pid != wcm__process_id())
		return;
	unheard = wcm__mask_hush();
	wcm__ring_note_end(&recorder->ring);
	wcm__recording_note_elapsed();
	wcm__mask_hear(unheard, true);
}

/* Those that no line has counted yet: a trace may end more than once. */
static void note_unended(void)
{
	const uint64_t all = __atomic_load_n(&wcm__return_refused, __ATOMIC_RELAXED);
	const uint64_t before =
		__atomic_exchange_n(&wcm__recording.unended, all, __ATOMIC_RELAXED);

	if (all > before && !wcm__recording.failed && !wcm__tracer_is_in_child())
		wcm__recording_add_unended(all - before);
}

void wcm__recording_end(void)
{
	wcm__tracers_settle();
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		struct wcm_recorder *recorder = tracer->recorder;

		if (recorder)
			wcm__ring_end(&recorder->ring);
	}
	note_unended();
}

void wcm__recording_stop(void)
{
	wcm__recording_end();
	if (!wcm__recording.failed && !wcm__tracer_is_in_child())
		wcm__recording_note_elapsed();
}

void wcm__recording_lose(uint64_t events)
{
	__atomic_fetch_add(&lost_before, events, __ATOMIC_RELAXED);
}

uint64_t wcm__recording_lost(void)
{
	uint64_t lost = __atomic_load_n(&lost_before, __ATOMIC_RELAXED);

	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->recorder)
			lost += tracer->recorder->ring.lost;
	return lost;
}

void wcm__recording_forget_lost(void)
{
	lost_before = 0;
	wcm__recording.refused = 0;
	wcm__recording.unended = 0;
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->recorder)
			tracer->recorder->ring.lost = 0;
}
