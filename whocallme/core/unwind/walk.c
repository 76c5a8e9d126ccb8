/* SPDX-License-Identifier: MIT */
/* walk.c (SAFE) - steps from frame to frame until the outermost, and says why it stopped.
 *
 * At each frame the first of these leads on: a remembered rule; the machine state that the
 * kernel saved, at a signal's trampoline; the row of call frame information of the module
 * that holds the pc; the pushed return address, at a call to nowhere or one that has just
 * arrived; and, as a guess, the function's prologue or the frame pointer.
 *
 * Nearly every row needs the stack pointer and the frame pointer alone, so only these are
 * followed.  At a row that speaks of another register, the walk starts again from the last
 * frame where all registers were known, and follows all of them up to here.
 */
#include "core/unwind/walk.h"

#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/modules/modules.h"
#include "core/unwind/changed_return.h"
#include "core/unwind/debug_frame.h"
#include "core/unwind/describe.h"
#include "core/unwind/guess.h"
#include "core/unwind/prologue.h"
#include "core/unwind/rule_cache.h"
#include "core/unwind/stack_span.h"
#include "core/unwind/stub_code.h"

const struct wcm_stub_code *wcm__stub_code;

/* Only a signal's frame - alternate stacks lie anywhere - and code that has
 * already left its stack may have a caller that lies no higher.  More of them
 * than any program has is a circle. */
enum { MOST_FALLS = 64 };

/* A site is the pc of an exact frame, and one byte less of a return address. */
static bool recall(struct wcm_walk *walk, uintptr_t site)
{
	return wcm__rule_cache_get(&walk->rule, &walk->rules, site);
}

static void remember(const struct wcm_walk *walk, uintptr_t site,
		     const struct wcm_description *description)
{
	if (description->permanent || description->epoch != 0)
		wcm__rule_cache_put(&walk->rule, site, description->epoch);
}

static bool read_mapped(uintptr_t addr, void *buf, size_t size)
{
	memcpy(buf, (const void *)addr, size);
	return true;
}

/* What reads the instructions in front of the frame's pc: its module is not looked for again. */
static wcm_reader *code_reader(const struct wcm_walk *walk)
{
	enum { LONGEST = 32 };

	return wcm__module_has_code(walk->module, walk->regs.pc - LONGEST, LONGEST)
		       ? read_mapped
		       : wcm__read_code;
}

/* No call can have left the frame's pc as return address. */
static bool is_no_return(const struct wcm_walk *walk)
{
	const uint32_t exact = WCM_FRAME_INTERRUPTED | WCM_FRAME_SIGNAL;

	return (walk->frame.flags & exact) == 0 && !wcm__stub_code_holds(walk->regs.pc) &&
	       !wcm__arch_may_follow_call(walk->regs.pc, code_reader(walk));
}

/* Such a frame, which is described: the word on the stack has been written over, or the program
 * has put it there.  What a description says there is a guess, but for the end of a stack, to
 * which first functions return; stop_of() judges that, and so it is not remembered. */
static bool is_doubtful(const struct wcm_walk *walk, enum wcm_way way,
			const struct wcm_description *description)
{
	return (way == WCM_WAY_RULE || (way == WCM_WAY_ROW && !description->fde.is_signal)) &&
	       is_no_return(walk);
}

/* Look for the compact rule of the frame, or else for what describes it.  A signal's
 * trampoline is known by its code; what has a compact rule is none. */
static enum wcm_way look_up(struct wcm_walk *walk, struct wcm_description *description,
			    uintptr_t site)
{
	enum wcm_way way = WCM_WAY_NONE;
	bool is_in_doubt;

	if (wcm__describe(description, site, &walk->rule))
		way = description->is_compact ? WCM_WAY_RULE : WCM_WAY_ROW;
	walk->module = description->module;
	if (way != WCM_WAY_RULE && wcm__arch_is_sigreturn(walk->regs.pc, wcm__read_code)) {
		walk->rule = (struct wcm_rule){ .base = WCM_BASE_SIGNAL };
		way = WCM_WAY_SIGRETURN;
	}
	is_in_doubt = is_doubtful(walk, way, description);
	if (is_in_doubt && (way == WCM_WAY_ROW || walk->rule.base != WCM_BASE_NONE)) {
		walk->frame.flags |= WCM_FRAME_GUESSED;
		walk->is_doubtful = true;
	}
	if (!is_in_doubt && (way == WCM_WAY_RULE || way == WCM_WAY_SIGRETURN))
		remember(walk, site, description);
	wcm__description_let_go(description);
	return way;
}

static enum wcm_way find_way(struct wcm_walk *walk, struct wcm_description *description)
{
	const uintptr_t site = wcm_frame_site(&walk->frame);

	walk->module = NULL;
	if (!recall(walk, site))
		return look_up(walk, description, site);
	return walk->rule.base == WCM_BASE_SIGNAL ? WCM_WAY_SIGRETURN : WCM_WAY_RULE;
}

/* The window is where the walk is: the frame before may have been too large for it,
 * or on another stack. */
static void keep_up(struct wcm_walk *walk)
{
	const uintptr_t sp = walk->regs.sp;

	if (sp != 0 && !wcm__span_holds(&walk->window, sp, sizeof(sp)) &&
	    !wcm__stack_reach(&walk->window, sp))
		walk->window = wcm__stack_window(sp);
}

/* A signal's frame is shown as one also where its description alone tells, unless that has a
 * return address of its own: what interrupts is code that a sled leads to. */
static void stand_at(struct wcm_walk *walk, uint32_t flags)
{
	struct wcm_description description;

	keep_up(walk);
	walk->frame = (struct wcm_frame){ .pc = walk->regs.pc, .flags = flags };
	walk->way = find_way(walk, &description);
	if (walk->way == WCM_WAY_SIGRETURN ||
	    (walk->way == WCM_WAY_ROW && description.fde.is_signal &&
	     description.fde.ra_column == WCM_COLUMN_RA))
		walk->frame.flags |= WCM_FRAME_SIGNAL;
	else if (walk->way == WCM_WAY_NONE && (flags & WCM_FRAME_GUESSED) && walk->on_chain &&
		 wcm__frame_is_planted(&walk->frame))
		walk->frame.flags |= WCM_FRAME_RESUMED;
}

static struct wcm_regs regs_of(const struct wcm_registers *file)
{
	struct wcm_regs regs = { .pc = file->pc };

	wcm__register_get(file, WCM_COLUMN_SP, &regs.sp);
	wcm__register_get(file, WCM_COLUMN_FP, &regs.fp);
	if (WCM_HAS_LINK_REGISTER)
		wcm__register_get(file, WCM_COLUMN_RA, &regs.lr);
	return regs;
}

static struct wcm_registers file_of(const struct wcm_regs *regs)
{
	struct wcm_registers file = { .pc = regs->pc };

	wcm__register_set(&file, WCM_COLUMN_SP, regs->sp);
	wcm__register_set(&file, WCM_COLUMN_FP, regs->fp);
	return file;
}

/* All registers that are known here are in FILE.  Two sets of registers: REGS is always of the
 * present frame; FILE has all that are known, as of KNOWN_STEPS frames below it, from where
 * follow_all() brings them up to date. */
static void know_all(struct wcm_walk *walk, bool is_return_address)
{
	walk->known_steps = 0;
	walk->known_site = walk->file.pc - is_return_address;
}

static void set_out(struct wcm_walk *walk)
{
	walk->file.passed = 0;
	walk->regs = regs_of(&walk->file);
	walk->stack = wcm__stack_span(walk->regs.sp);
	walk->window = wcm__stack_window(walk->regs.sp);
	walk->rules = wcm__rules();
	walk->on_chain = false;
	know_all(walk, false);
}

/* Begin at FILE, whose pc is the next instruction to run. */
static void begin(struct wcm_walk *walk)
{
	set_out(walk);
	stand_at(walk, WCM_FRAME_INTERRUPTED);
}

static void leave_signal(struct wcm_walk *walk)
{
	const uintptr_t at = wcm__arch_signal_context(&walk->regs, wcm__read_code);
	const void *context = (const void *)at;
	wcm_reader *const read = wcm__span_holds(&walk->window, at, sizeof(ucontext_t))
					 ? NULL : wcm__read_memory;

	if (!wcm__arch_registers_from_context(&walk->file, context, read)) {
		walk->stop = WCM_STOP_UNREADABLE;
		return;
	}
	walk->met_context = true;
	begin(walk);
	walk->context = context;
}

/* Move on to CALLER, without what a callee may have changed, or may not. */
static enum wcm_stop move_to(struct wcm_walk *walk, struct wcm_regs caller, bool on_chain)
{
	walk->regs = caller;
	walk->file = file_of(&caller);
	walk->on_chain = on_chain;
	know_all(walk, true);
	return WCM_STOP_NONE;
}

/* From the start, of a call that has done no more than leave the return address, where RULE
 * says: its caller is where the walk starts. */
static enum wcm_stop step_call(struct wcm_walk *walk, const struct wcm_rule *rule)
{
	struct wcm_regs caller = walk->regs;
	enum wcm_stop stop = wcm__step(&caller, rule, &walk->window);

	if (stop != WCM_STOP_NONE)
		return stop;
	/* The kernel calls a handler, which returns to the trampoline. */
	if (!wcm__arch_follows_call(caller.pc, wcm__read_code) &&
	    !wcm__arch_is_sigreturn(caller.pc, wcm__read_code))
		return WCM_STOP_NO_RULE;
	walk->regs = caller;
	walk->file.pc = caller.pc;
	wcm__register_set(&walk->file, WCM_COLUMN_SP, caller.sp);
	wcm__register_forget(&walk->file, WCM_COLUMN_RA);
	walk->on_chain = false;
	know_all(walk, true);
	return WCM_STOP_NONE;
}

/* A call to nowhere led there. */
static bool has_no_code(const struct wcm_walk *walk)
{
	return walk->context && wcm__arch_fetch_failed(walk->context, wcm__read_memory);
}

static bool is_in_stub(const struct wcm_walk *walk, struct wcm_rule *rule)
{
	return (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       wcm__arch_stub_rule(rule, walk->regs.pc, wcm__read_code);
}

/* At a function's first instruction, or WITHIN so many bytes of it: the call in front
 * of where a call has left the return address led here. */
static bool is_just_called(const struct wcm_walk *walk, unsigned within)
{
	struct wcm_regs caller = walk->regs;

	return (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       wcm__step(&caller, &wcm__arch_call_rule, &walk->window) == WCM_STOP_NONE &&
	       wcm__arch_has_called(caller.pc, &walk->file, within, wcm__read_code);
}

static bool is_in_data(const struct wcm_walk *walk)
{
	return (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       wcm__prologue_is_none(&walk->regs, &walk->window);
}

static enum wcm_stop guess(struct wcm_walk *walk)
{
	struct wcm_regs caller = walk->regs;
	bool on_chain = walk->on_chain && (walk->frame.flags & WCM_FRAME_GUESSED);
	enum wcm_stop stop = wcm__guess(&caller, &walk->frame, &walk->stack, &walk->window,
					walk->met_context || wcm__chain_is_of_pairs(),
					&on_chain);

	return stop == WCM_STOP_NONE ? move_to(walk, caller, on_chain) : stop;
}

/* Follow all registers to here.  Where that cannot be done, those that are known
 * must do. */
static void follow_all(struct wcm_walk *walk)
{
	struct wcm_registers file = walk->file;
	uintptr_t site = walk->known_site;
	struct wcm_description description;

	for (; walk->known_steps > 0; walk->known_steps--, site = file.pc - 1) {
		const bool described = wcm__describe(&description, site, NULL);

		wcm__description_let_go(&description);
		if (!described ||
		    wcm__description_step(&description, &file, &walk->window) != WCM_STOP_NONE)
			break;
	}
	if (walk->known_steps > 0 || file.pc != walk->regs.pc)
		file = file_of(&walk->regs);
	walk->file = file;
}

/* Where the frame ends that a chain of pairs has led to, the rule tells by the pair. */
static void take_pair(struct wcm_walk *walk)
{
	struct wcm_rule *rule = &walk->rule;

	if (!wcm__chain_is_of_pairs() || !walk->on_chain ||
	    !(walk->frame.flags & WCM_FRAME_GUESSED) || rule->base != WCM_BASE_SP ||
	    !rule->fp_saved)
		return;
	rule->base = WCM_BASE_FP;
	rule->cfa_off = -rule->fp_off;
}

static bool is_on_own_stack(const struct wcm_walk *walk)
{
	return wcm__stack_is_own(&walk->stack) &&
	       wcm__span_holds(&walk->stack, walk->regs.sp, sizeof(uintptr_t));
}

/* STOP of a frame that is described.  A return address of 0 is the end of a stack that the
 * program has made, as one is that no call has left and whose description says that nobody called.
 * On a thread's own both have been written there; but where calls do not leave it on the stack,
 * the former may begin one. */
static enum wcm_stop stop_of(const struct wcm_walk *walk, enum wcm_stop stop, bool is_described_end)
{
	if (stop != WCM_STOP_OUTERMOST || !is_on_own_stack(walk))
		return stop;
	if (is_described_end)
		return is_no_return(walk) ? WCM_STOP_NO_RULE : stop;
	return WCM_HAS_LINK_REGISTER ? stop : WCM_STOP_BAD_FRAME;
}

static enum wcm_stop step_by_rule(struct wcm_walk *walk)
{
	take_pair(walk);
	walk->known_steps++;
	return stop_of(walk, wcm__step(&walk->regs, &walk->rule, &walk->window),
		       walk->rule.base == WCM_BASE_NONE);
}

static enum wcm_stop step_exact(struct wcm_walk *walk, const struct wcm_description *description)
{
	enum wcm_stop stop;

	follow_all(walk);
	stop = wcm__description_step(description, &walk->file, &walk->window);
	if (stop == WCM_STOP_NONE) {
		walk->regs = regs_of(&walk->file);
		know_all(walk, !description->fde.is_signal);
	}
	return stop_of(walk, stop,
		       description->fde.ra_column < WCM_COLUMNS &&
			       description->row.saved[description->fde.ra_column].kind ==
				       WCM_REG_UNDEFINED);
}

/* Nothing describes the frame. */
static enum wcm_stop step_undescribed(struct wcm_walk *walk, uint32_t *flags)
{
	enum { FEW = 64 };

	struct wcm_rule rule = wcm__arch_call_rule;

	if (wcm__stub_code_holds(walk->regs.pc) || is_in_stub(walk, &rule) ||
	    has_no_code(walk) || is_just_called(walk, 0))
		return step_call(walk, &rule); /* a call to nowhere, or on its way */
	*flags = WCM_FRAME_GUESSED;
	return is_just_called(walk, FEW) || is_in_data(walk) ? step_call(walk, &rule)
							     : guess(walk);
}

/* About to return, whatever a row says: compilers leave some without. */
static bool is_at_return(const struct wcm_walk *walk)
{
	return (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       wcm__arch_is_return(walk->regs.pc, wcm__read_code);
}

/* Code that goes over to another place has rows of where it jumps to, as setcontext(3) has, whose
 * CFA counts from what a call may change: such a frame contradicts itself, but a call or the
 * jump has left the return address. */
static bool is_of_a_jump(const struct wcm_walk *walk, const struct wcm_row *row)
{
	return WCM_HAS_LINK_REGISTER && (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       row->cfa.kind == WCM_REG_REGISTER &&
	       !(WCM_COLUMNS_PRESERVED >> row->cfa.column & 1);
}

static enum wcm_stop step(struct wcm_walk *walk, uint32_t *flags)
{
	struct wcm_description description;
	enum wcm_stop stop;
	bool described;

	*flags = 0;
	if (walk->regs.sp == 0) /* a pc is all that is known of the frame */
		return WCM_STOP_NO_RULE;
	if (is_at_return(walk) && step_call(walk, &wcm__arch_call_rule) == WCM_STOP_NONE)
		return WCM_STOP_NONE;
	if (walk->way == WCM_WAY_RULE)
		return step_by_rule(walk);
	if (walk->way == WCM_WAY_NONE)
		return step_undescribed(walk, flags);
	/* Described a second time, now without a compact rule: the row is too large to keep. */
	described = wcm__describe(&description, wcm_frame_site(&walk->frame), NULL);
	wcm__description_let_go(&description);
	if (!described)
		return step_undescribed(walk, flags);
	if (description.fde.is_signal)
		*flags = WCM_FRAME_INTERRUPTED;
	stop = step_exact(walk, &description);
	if (stop == WCM_STOP_BAD_FRAME && is_of_a_jump(walk, &description.row) &&
	    step_call(walk, &wcm__arch_call_rule) == WCM_STOP_NONE)
		return WCM_STOP_NONE;
	return stop;
}

void wcm__walk_jump(struct wcm_walk *walk, uintptr_t pc)
{
	follow_all(walk);
	walk->regs.pc = walk->file.pc = pc;
	know_all(walk, true);
	stand_at(walk, 0);
}

void wcm__walk_describe(struct wcm_walk *walk, bool for_report)
{
	const uint32_t kept = WCM_FRAME_INTERRUPTED | WCM_FRAME_GUESSED;

	if (walk->stop == WCM_STOP_NONE && walk->way == WCM_WAY_NONE &&
	    wcm__debug_frame_read_at(walk->regs.pc, for_report))
		stand_at(walk, walk->frame.flags & kept);
}

static void leave_frame(struct wcm_walk *walk)
{
	uint32_t flags;

	walk->stop = step(walk, &flags);
	if (walk->stop == WCM_STOP_OUTERMOST && walk->is_doubtful)
		walk->stop = WCM_STOP_NO_RULE;
	walk->context = NULL;
	if (walk->stop == WCM_STOP_NONE)
		stand_at(walk, flags);
}

void wcm__walk_next(struct wcm_walk *walk)
{
	uintptr_t sp = walk->regs.sp;

	if (walk->stop != WCM_STOP_NONE)
		return;
	if (walk->way == WCM_WAY_SIGRETURN)
		leave_signal(walk);
	else
		leave_frame(walk);
	if (walk->stop == WCM_STOP_NONE && walk->regs.sp <= sp && ++walk->falls > MOST_FALLS)
		walk->stop = WCM_STOP_BAD_FRAME;
}

static void reset(struct wcm_walk *walk)
{
	walk->stop = WCM_STOP_NONE;
	walk->context = NULL;
	walk->met_context = false;
	walk->is_doubtful = false;
	walk->falls = 0;
}

void wcm__walk_start(struct wcm_walk *walk, const void *ra)
{
	const uintptr_t caller = wcm__arch_strip((uintptr_t)ra);

	reset(walk);
	begin(walk);
	wcm__walk_next(walk);
	if (walk->stop == WCM_STOP_NONE && walk->regs.pc == caller) {
		walk->frame.flags &= ~WCM_FRAME_GUESSED;
		return;
	}
	/* Nothing describes our own frame: all there is, is where it returns. */
	walk->stop = WCM_STOP_NONE;
	walk->regs = (struct wcm_regs){ .pc = caller };
	stand_at(walk, 0);
}

void wcm__walk_start_at(struct wcm_walk *walk, const struct wcm_regs *at)
{
	reset(walk);
	walk->file = file_of(at);
	if (WCM_HAS_LINK_REGISTER && at->lr != 0)
		wcm__register_set(&walk->file, WCM_COLUMN_RA, at->lr);
	set_out(walk);
	wcm__walk_jump(walk, at->pc);
}

void wcm__walk_start_context(struct wcm_walk *walk, const void *ucontext)
{
	reset(walk);
	if (!wcm__arch_registers_from_context(&walk->file, ucontext, wcm__read_memory)) {
		walk->stop = WCM_STOP_UNREADABLE;
		return;
	}
	walk->met_context = true;
	begin(walk);
	walk->context = ucontext;
}

/* Collect callers while their rules are remembered.  The last of them may be
 * anything, as no rule has told yet, unless there is no more. */
static size_t stride(struct wcm_walk *walk, struct wcm_frame *frames, size_t room)
{
	size_t count = wcm__stride(&walk->regs, &walk->rules, &walk->window, frames,
				   room, &walk->stop);

	walk->known_steps += count;
	if (walk->stop == WCM_STOP_NONE && count > 0) {
		/* No rule is remembered for a trampoline: it is the last, if there is one. */
		walk->regs.pc = wcm__return_true(walk->regs.pc, walk->regs.sp);
		stand_at(walk, 0);
		frames[count - 1] = walk->frame;
	}
	return count;
}

/* Collect callers from a frame that has just been taken. */
static size_t go_on(struct wcm_walk *walk, struct wcm_frame *frames, size_t room)
{
	return walk->frame.flags ? 0 : stride(walk, frames, room);
}

size_t wcm__walk_collect(struct wcm_walk *walk, struct wcm_frame *frames, size_t cap, unsigned skip,
			 enum wcm_stop *stop)
{
	size_t count = 0;

	for (; walk->stop == WCM_STOP_NONE; wcm__walk_next(walk)) {
		if (skip > 0) {
			skip--;
			continue;
		}
		if (count == cap) {
			walk->stop = WCM_STOP_FULL;
			break;
		}
		frames[count++] = walk->frame;
		count += go_on(walk, frames + count, cap - count);
	}
	if (stop)
		*stop = walk->stop;
	return count;
}

/* Our own frame is warm like any other. */
static size_t take_warm(struct wcm_walk *walk, const void *ra, struct wcm_frame *frames, size_t cap)
{
	size_t count;

	set_out(walk);
	walk->regs.pc = wcm__rule_return(walk->regs.pc); /* as if a call were made here */
	count = stride(walk, frames, cap);
	return count > 0 && frames[0].pc == wcm__arch_strip((uintptr_t)ra) ? count : 0;
}

size_t wcm__walk_take(struct wcm_walk *walk, const void *ra, struct wcm_frame *frames, size_t cap,
		      unsigned skip, enum wcm_stop *stop)
{
	size_t count = 0;

	reset(walk);
	if (skip == 0)
		count = take_warm(walk, ra, frames, cap);
	if (count == 0)
		wcm__walk_start(walk, ra);
	else if (walk->stop == WCM_STOP_NONE)
		wcm__walk_next(walk);
	return count + wcm__walk_collect(walk, frames + count, cap - count, skip, stop);
}
