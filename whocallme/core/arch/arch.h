/* SPDX-License-Identifier: MIT */
/* arch.h (SAFE) - the contract of a port.
 *
 * Every folder beside this file is one CPU and holds the same files:
 *
 *	columns.h	its registers by DWARF number
 *	regs.h		the constants of its calling convention, inline
 *	context.c	knows a signal's machine state
 *	code_bytes.c	tells what an address is by the bytes of its code
 *	first_code.c	reads the code with which a function makes its frame
 *	sled.c		writes calls over NOPs, and what they call
 *	trampoline.c	is where functions return to whose ends are told
 *	passed.c	finds what these are given and give back
 *	dispatch.c	makes the system calls that are dispatched to a handler
 *	syscall.h	one raw system call, errno untouched; the kernel's struct sigaction
 *
 * configure puts one of them on the include path.  Nothing outside arch/ names
 * a CPU or a register; generic/ serves CPUs without a port: it sees a function's
 * own caller and no further.
 */
#ifndef WCM_ARCH_ARCH_H
#define WCM_ARCH_ARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arch/registers.h"
#include "core/arch/rule.h"

/* Copies the SIZE bytes at ADDRESS; false unless all of them can be read.  A port asks
 * nobody by itself. */
typedef bool wcm_reader(uintptr_t address, void *bytes, size_t size);

/* Fill REGISTERS with the machine state that a signal handler was given, the pc
 * being the interrupted instruction.  A READ that is NULL says that it can be read where it
 * lies.  False where the port cannot. */
bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read);

/* Whether the state in UCONTEXT is that of a failed instruction fetch: a call or
 * jump to an address without code. */
bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read);

/* What an access that faulted wanted of its address. */
enum wcm_access {
	WCM_ACCESS_UNKNOWN,
	WCM_ACCESS_READ,
	WCM_ACCESS_WRITE,
	WCM_ACCESS_EXECUTE,
};

/* The same of the access that UCONTEXT's fault is about. */
enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read);

/* Whether the CPU can form ADDRESS at all: an access to one that it cannot is
 * reported without the address. */
bool wcm__arch_is_canonical(uintptr_t address);

/* What the instruction of a fault and its operands tell, where the signal's code has several
 * causes. */
enum wcm_fault {
	WCM_FAULT_UNKNOWN,
	WCM_FAULT_PROTECTION, /* general protection, for none of the reasons below */
	WCM_FAULT_NOT_CANONICAL,
	WCM_FAULT_JUMP_NOT_CANONICAL,
	WCM_FAULT_CALL_NOT_CANONICAL,
	WCM_FAULT_RETURN_NOT_CANONICAL,
	WCM_FAULT_MISALIGNED, /* NUMBER: what the address is no multiple of */
	WCM_FAULT_PRIVILEGED,
	WCM_FAULT_VECTOR, /* NUMBER: the interrupt that a program may not raise */
	WCM_FAULT_SELECTOR,
	WCM_FAULT_OVERFLOW_TRAP,
	WCM_FAULT_ZERO_DIVISOR,
	WCM_FAULT_QUOTIENT,
	WCM_FAULT_INVALID, /* the CPU refuses the instruction */
	WCM_FAULT_TRAP_0,  /* ud0, ud1 and ud2, which are there to fail */
	WCM_FAULT_TRAP_1,
	WCM_FAULT_TRAP_2,
	WCM_FAULT_BREAKPOINT,
	WCM_FAULT_DENORMAL, /* a floating-point operand is */
	WCM_FAULT_FLOAT_STACK,
	WCM_FAULT_SEVERAL, /* NUMBER: WCM_FLOAT_*, one of which it was */
	WCM_FAULT_SHADOW_RETURN,
	WCM_FAULT_NO_LANDING,
};

enum {
	WCM_FLOAT_INVALID = 1,
	WCM_FLOAT_DENORMAL = 2,
	WCM_FLOAT_DIVISION = 4,
	WCM_FLOAT_OVERFLOW = 8,
	WCM_FLOAT_UNDERFLOW = 16,
	WCM_FLOAT_INEXACT = 32,
	WCM_FLOAT_ALL = 63,
};

struct wcm_fault_found {
	enum wcm_fault fault;
	unsigned number;
	bool is_earlier;      /* an earlier instruction's, that this one found */
	bool lacks_address;   /* the siginfo_t's means nothing */
	bool has_address;     /* ADDRESS is what the instruction would access, in this way */
	enum wcm_access access;
	uintptr_t address;
	uint32_t registers;   /* by their places in wcm__arch_general_registers(): of those that the
			       * address is made of, which are not canonical themselves */
};

/* Find out about the fault that SIGNAL came for, by the kernel, with UCONTEXT, in a thread with
 * this THREAD_POINTER.  READ reads code and operands. */
void wcm__arch_fault_find(struct wcm_fault_found *found, int signal, const void *ucontext,
			  uintptr_t thread_pointer, wcm_reader *read);

/* A register by the name that manuals and debuggers give it. */
struct wcm_named_register {
	const char *name;
	uintptr_t value;
};

enum { WCM_MOST_NAMED_REGISTERS = 64 };

/* The general registers in UCONTEXT, pc and flags the last, in the order that
 * debuggers list them.  Returns how many; 0 where the port knows none. */
size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS]);

/* Whether PC stands behind a call instruction, as every return address does.
 * Telling by the code bytes is what keeps a chain that is no frame-pointer
 * chain from inventing callers. */
bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read);

/* The same where a debugger may have put a breakpoint in the place of the call: what says no is
 * no return address. */
bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read);

/* Whether the call in front of RA led to the pc of REGISTERS, which nothing has changed
 * since: the stack is that of a call.  Or to code up to WITHIN bytes in front of that
 * which begins no frame: most likely it still is. */
bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read);

/* The RULE of the frame that the function at START has at PC, by what it pushes, and
 * takes from the stack pointer, in front of that.  False where a chain of frame pointers
 * says as much, and where nothing is known of its frame. */
bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read);

/* Whether the function at START has taken its frame in front of PC, and has the frame pointer
 * for something else, or left it to who called it: no chain tells that.  False: it may be. */
bool wcm__arch_lacks_frame_pointer(uintptr_t start, uintptr_t pc, wcm_reader *read);

/* Whether the function at START can have been called by CALLER, whose pc is where it
 * returns to: the call in front of that leads there, or is one by a register or memory
 * that cannot be known any more, with the stack as the ABI wants it for a call; or a
 * signal called it. */
bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start,
			       wcm_reader *read);

/* Whether PC is a return instruction: the stack is that of a call, though what the
 * function gave back to its caller is there already. */
bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read);

/* The RULE at PC if that is about to jump to where a linkage table says, or to have the name
 * bound first: linkers describe not all of their stubs.  False: it is the rule of a call, or as
 * it was. */
bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read);

/* Whether PC is the first instruction of the kernel's signal trampoline. */
bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read);

/* Where the trampoline's ucontext_t lies, given the registers in it; READ reads code. */
uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read);

/* Make the system call that a seccomp filter has trapped, UCONTEXT being what its
 * SIGSYS was given, fail with ENOSYS.  False where the port cannot. */
bool wcm__arch_refuse_syscall(void *ucontext);

/* What the system call has returned that UCONTEXT stands behind.  False: it stands behind none, or
 * the port cannot tell. */
bool wcm__arch_call_result(const void *ucontext, wcm_reader *read, intptr_t *result);

/* Whether the system call that UCONTEXT stands behind is one of this library's.  False
 * where the port cannot tell. */
bool wcm__arch_is_own_syscall(const void *ucontext);

/* Whether the thread pointer is one of libc's: it leads to itself, and VARIABLE bytes from
 * there is something that can be read.  True where the port cannot tell.  It may fault; then
 * it is false where the handler asks the next first. */
bool wcm__arch_thread_pointer_holds(ptrdiff_t variable);

/* Whether the fault in UCONTEXT was that.  The handler returns, and nothing else. */
bool wcm__arch_thread_pointer_failed(void *ucontext);

/* Which it is, whatever that leads to; false where the kernel does not say. */
bool wcm__arch_thread_pointer_get(uintptr_t *pointer);

/* Another one for the calling thread.  Nobody says that it is there. */
void wcm__arch_thread_pointer_set(uintptr_t pointer);

/* Make what SIGNAL came for happen again when its handler returns, by the instruction
 * in UCONTEXT.  False where it was sent, or the port cannot tell. */
bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read);

/* A sled is NOPs that a compiler has left in a function, at its entry or behind its frame,
 * and that a call takes the place of.  The NOPs are told by their bytes alone.  A call of the
 * profiler in the same place is a sled as well. */
enum { WCM_SLED_MOST = 24, WCM_FAR_JUMP_MOST = 16 };

struct wcm_sled_front {
	uint8_t at;      /* bytes in front of the function where it begins */
	uint8_t returns; /* from there to the return address of the call */
	uint8_t entry;   /* and to the jump at the function's entry */
	uint8_t size;    /* of all */
};

/* How many bytes the NOP has that CODE begins with; 0: it is none. */
size_t wcm__arch_nop_size(const uint8_t *code, size_t size);

/* How many bytes the NOPs at CODE are, in whole instructions, up to the one that makes them
 * enough for a call, or all, where the call does not go through them; 0: they are not enough,
 * or no NOPs. */
size_t wcm__arch_sled_size(const uint8_t *code, size_t size);

/* Find the sled of the function that begins with CODE: AT bytes behind, and whether that is
 * its entry, before it has changed anything. */
bool wcm__arch_sled_find(const uint8_t *code, size_t size, size_t *at, bool *at_entry);

/* How many bytes the call has that CODE begins with, one that -pg makes; 0: it is none.  TO
 * is behind CODE what it calls, or if IS_SLOT what holds the address of that. */
size_t wcm__arch_call_size(const uint8_t *code, size_t size, intptr_t *to, bool *is_slot);

/* The first call of a function that begins with CODE, *AT bytes behind, if nothing but what
 * compilers put in front of one of the profiler is in front.  Returns its size, or 0. */
size_t wcm__arch_first_call(const uint8_t *code, size_t size, size_t *at);

/* Whether CODE is a linkage stub, which jumps to what is in the slot that is *SLOT bytes
 * behind. */
bool wcm__arch_stub_slot(const uint8_t *code, size_t size, intptr_t *slot);

/* How many bytes of CODE say that it may be called indirectly. */
size_t wcm__arch_landing_size(const uint8_t *code, size_t size);

/* Whether a call fits among the FRONT bytes of NOPs in front of FUNC, a function's SIZE bytes
 * of code, and a jump to that call at its entry. */
bool wcm__arch_sled_front(const uint8_t *func, size_t front, size_t size,
			  struct wcm_sled_front *sled);

/* Make CODE, all of SLED, which is at AT, these.  False: the call does not reach TO. */
bool wcm__arch_sled_front_call(uint8_t *code, const struct wcm_sled_front *sled, uintptr_t at,
			       uintptr_t to);

/* Make CODE, the SIZE bytes of the sled at AT, a call of TO whose return address is the
 * sled's end, and which is the only instruction if SIZE is at most 6; where a sled has a stub,
 * which TO is, a jump there in the first WCM_SLED_WORD bytes.  False: it does not reach. */
bool wcm__arch_sled_call(uint8_t *code, size_t size, uintptr_t at, uintptr_t to);

/* Whether a call at FROM reaches TO. */
bool wcm__arch_sled_reaches(uintptr_t from, uintptr_t to);

/* Make CODE a jump to TO, wherever that is.  Returns its size; 0: the port has none. */
size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to);

/* Whether CODE is a function that does nothing: AT bytes behind its beginning a jump fits, of
 * which only the first WCM_JUMP_FIRST bytes are ever executed. */
bool wcm__arch_empty_function(const uint8_t *code, size_t size, size_t *at);

/* Make CODE, which is at AT, a jump to TO.  False: it does not reach. */
bool wcm__arch_jump(uint8_t *code, uintptr_t at, uintptr_t to);

/* What a sled's call leads to, and what that calls in the end: FIRST, which must leave all but
 * general registers alone, and, where that returns false, HOOK, which need not.  FRAME is
 * for wcm__arch_sled_caller(), which tells where the function is that the sled is in. */
typedef bool wcm_sled_first(uintptr_t *frame);
typedef void wcm_sled_hook(uintptr_t *frame);
uintptr_t wcm__arch_sled_entry_address(void);

/* Of a trampoline, in FIRST's place: where the caller goes on, or 0, where HOOK is to do all. */
typedef uintptr_t wcm_sled_return(uintptr_t *frame);
void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned,
			    wcm_sled_hook *hook);

/* Before vector registers are saved, which may take 3 KiB, TAKE is asked for another stack, whose
 * top it returns, or NULL; GIVE_BACK comes behind, and both leave all but general registers alone.
 * False: the port's HOOK sees to that itself. */
typedef void *wcm_sled_take(uintptr_t *frame);
typedef void wcm_sled_give_back(void *top);
bool wcm__arch_sled_stand_aside(wcm_sled_take *take, wcm_sled_give_back *give_back);

/* What a jump in an empty function leads to: it calls the sleds' hook, which finds that the
 * pc of its caller is *PC, and returns as the function did.  0: the port has none. */
uintptr_t wcm__arch_empty_entry_address(uintptr_t *pc);

/* Have the trampoline that FRAME's hook is called by go on at PC. */
void wcm__arch_sled_go_on(uintptr_t *frame, uintptr_t pc);

/* A function whose return address is changed to that of a trampoline returns to a call of
 * what a sled's call leads to.  The return address that is true lies where the changed one
 * does, and further by the distance of its trampoline: see core/unwind/changed_return.c. */
enum { WCM_TRAMPOLINES = sizeof(uintptr_t) > sizeof(uint32_t) ? 65536 : 4096 };

extern intptr_t wcm__arch_trampoline_distance[WCM_TRAMPOLINES]
	__attribute__((visibility("hidden")));

/* Which it is that PC is the address of, or that has called what returns to PC; -1: none. */
int wcm__arch_trampoline_number(uintptr_t pc);

/* Whether the CPU compares return addresses with a copy of its own: none can be changed. */
bool wcm__arch_has_shadow_stack(void);

/* What a call hands over, by the calling convention, one value after the other: what was taken
 * of it so far. */
struct wcm_passed {
	const uintptr_t *frame; /* that a hook was given, not a first stage */
	uintptr_t stack;        /* where the next is that is on it; 0: none is */
	wcm_reader *read;       /* that, which may not be there */
	uint8_t general, vector;
};

/* The word, counted from a sled's FRAME, where the general register is that has argument, or
 * result, NUMBER; 0: there is no such. */
int wcm__arch_passed_place(bool is_result, unsigned number);

/* Have first stages be given what is in vector registers that can have arguments,
 * WCM_PASSED_VECTORS words, of which two can have results. */
enum { WCM_PASSED_VECTORS = 8 };
typedef bool wcm_sled_given(uintptr_t *frame, const uint64_t *vectors);
typedef uintptr_t wcm_sled_given_back(uintptr_t *frame, const uint64_t *vectors);
void wcm__arch_passed_prepare(wcm_sled_given *first, wcm_sled_given_back *returned);

/* Of the function whose frame ends at CFA, which has changed nothing yet: what it is given.  Of
 * one that has returned to a trampoline: what it gives back.  WCM_PASSED_IS_KNOWN says whether the
 * port can tell; else there is nothing. */
struct wcm_passed wcm__arch_passed_arguments(const uintptr_t *frame, uintptr_t cfa,
					     wcm_reader *read);
struct wcm_passed wcm__arch_passed_results(const uintptr_t *frame);

/* Take a value of COUNT words, which IS_FLOATING says of each: two at most.  In memory it has that
 * ALIGNMENT.  False: it cannot be read. */
bool wcm__arch_passed_words(struct wcm_passed *passed, const bool *is_floating, unsigned count,
			    size_t alignment, uint64_t *word);

/* Read the long double that is given back.  False: there is none. */
bool wcm__arch_passed_extended(uint64_t word[2]);

/* Take a value of SIZE bytes that is handed over in memory.  BYTES may be NULL. */
bool wcm__arch_passed_memory(struct wcm_passed *passed, void *bytes, size_t size,
			     size_t alignment);

/* Take where the result is to be put that is no value of words, or was put. */
bool wcm__arch_passed_hidden(struct wcm_passed *passed, uintptr_t *at);

/* Where UCONTEXT, which a signal handler was given, has the pc that it returns to. */
uintptr_t *wcm__arch_context_pc(void *ucontext);

/* What a handler returns to, for rt_sigaction(2). */
uintptr_t wcm__arch_restorer_address(void);

/* Syscall User Dispatch: while a thread's selector says so, its system calls come to a handler
 * of SIGSYS, but for those that are made between LO and HI.  What that handler returns to is
 * among these.  0: the port has none. */
struct wcm_undispatched {
	uintptr_t lo, hi, restorer;
};

struct wcm_undispatched wcm__arch_undispatched_code(void);

/* Make the call NUMBER there, and nothing else. */
long wcm__arch_undispatched(long number, const long argument[6]);

/* The same for the handler of UCONTEXT, with the signals of MASKS[0] blocked meanwhile, and those
 * of MASKS[1], which are all that are handled, behind, as they are before. */
long wcm__arch_undispatched_open(long number, const long argument[6], const uint64_t masks[2],
				 const void *ucontext);

/* A signal of UCONTEXT has interrupted that: SHOWN, a copy of UCONTEXT, has the registers that the
 * program would have, at the call, or behind it when it has been made.  False: it has not. */
bool wcm__arch_undispatched_shown(const void *ucontext, void *shown);

/* The call that the handler of UCONTEXT is to make, AT being behind it. */
struct wcm_dispatched {
	long number, argument[6];
	struct wcm_regs at;
};

void wcm__arch_dispatched(struct wcm_dispatched *call, const void *ucontext);

/* Whether the call that INFO is of is one of this port, and not of a CPU that this one can be. */
bool wcm__arch_dispatches(const siginfo_t *info);

/* The thread goes on behind it with RESULT; or makes it once more; or goes on in CODE. */
void wcm__arch_dispatched_result(void *ucontext, long result);
void wcm__arch_dispatched_again(void *ucontext);
void wcm__arch_dispatched_pass(void *ucontext, uintptr_t code);

/* How a thread is armed: prctl(2)'s numbers, and where its selector is from the thread pointer. */
struct wcm_arming {
	uintptr_t lo, size;
	ptrdiff_t selector;
	const void *action; /* of SIGSYS, as rt_sigaction(2) has it */
};

/* A number that no call has. */
enum { WCM_PASS_MOST = 192, WCM_PASSED_NUMBER = 0x77636d };

/* Make PAGE code that makes a call, with the registers as they are, whose place is in front of
 * SITE; arms the thread that it returns in, and unless ARMS_CHILD not the one where its result
 * is 0; and makes the call WCM_PASSED_NUMBER.  Returns its size. */
size_t wcm__arch_pass_make(uint8_t page[WCM_PASS_MOST], uintptr_t site, bool arms_child,
			   const struct wcm_arming *arming);

/* The handler of that one has UCONTEXT go on behind the call that was passed, at *SITE with the
 * stack pointer *SP.  Returns its result. */
long wcm__arch_passed(void *ucontext, uintptr_t *site, uintptr_t *sp);

/* Whether a static probe's code begins with NOP, over which the byte *TRAP can be written at any
 * time: it has the kernel raise SIGTRAP, whose handler goes on behind it. */
bool wcm__arch_probe_trap(uint8_t nop, uint8_t *trap);

/* Where the trap is whose handler was given UCONTEXT, if it is one. */
uintptr_t wcm__arch_trapped(const void *ucontext);

/* Where a value of a probe is: the bits from SHIFT on of a register, by its column; NUMBER where
 * there is none; or in memory, at NUMBER, BASE and SCALE times INDEX. */
struct wcm_probe_register {
	bool is_known;
	uint8_t number, shift;
};

struct wcm_probe_place {
	bool is_memory;
	uint8_t scale;
	struct wcm_probe_register base, index;
	int64_t number;
};

/* The place that OPERAND, SIZE bytes of an assembler's text, means.  False: it is not known, as
 * that of a symbol, which wcm__arch_probe_symbol() tells. */
bool wcm__arch_probe_place(struct wcm_probe_place *place, const char *operand, size_t size);

/* OPERAND where it is in memory at a symbol: what is added to its address, and the REST that
 * wcm__arch_probe_place() takes behind the sum.  False: it is elsewhere. */
struct wcm_probe_symbol {
	const char *name, *rest;
	size_t length, rest_length;
	int64_t added;
};

bool wcm__arch_probe_symbol(struct wcm_probe_symbol *symbol, const char *operand, size_t size);

/* VALUE times RATE, without the lower 32 bits of that. */
static inline uint64_t wcm__arch_scaled(uint64_t value, uint64_t rate)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)value * rate >> 32);
#else
	const uint64_t low = UINT32_MAX;

	return value * (rate >> 32) + (value >> 32) * (rate & low) +
	       ((value & low) * (rate & low) >> 32);
#endif
}

/* regs.h defines, inline:
 *
 *	wcm__arch_strip(ra)	a return address without authentication bits
 *	wcm__arch_frame_rule	the rule of a frame-pointer chain
 *	wcm__arch_call_rule	the rule at a function's first instruction
 *	wcm__arch_registers_here(registers)
 *				the machine state of the function it stands in
 *	wcm__arch_spawn(flags, top, tls, function)
 *				clone(2) a thread that runs FUNCTION, which never
 *				returns, on the stack that ends at TOP, TLS its
 *				thread pointer; its number, or a negated errno
 *	wcm__arch_thread_pointer()
 *				where thread-local variables are counted from
 *	wcm__arch_call_on(top, function, argument)
 *				call FUNCTION on the stack that ends at TOP; false,
 *				and nothing is called, where the port cannot
 *	WCM_ARCH_CALLER()	the pc, sp and fp that the function it stands in
 *				returns to, a struct wcm_regs
 *	wcm__arch_sled_caller(frame)
 *				the pc, sp and fp of the function whose sled has called
 *				the hook that was given FRAME
 *	wcm__arch_sled_return(frame, cfa)
 *				where the return address of that function lies, whose
 *				frame ends at CFA
 *	wcm__arch_sled_stub(code, at, pc, to)
 *				make CODE, of WCM_SLED_STUB bytes, at AT the stub of the
 *				sled whose call returns to PC: it leads to TO, which
 *				knows by it where that is, and back.  False: it does
 *				not reach
 *	wcm__arch_code_written(at, size)
 *				instructions have been written there, by this CPU
 *	wcm__arch_trampoline(number)
 *				the address of a trampoline
 *	wcm__arch_trampoline_called(pc)
 *				which one has called what returns to PC
 *	wcm__arch_trampoline_of(pc)
 *				as wcm__arch_trampoline_number(), above
 *	WCM_CALL_PUSHES		bytes that a call takes from the stack pointer
 *	WCM_CALLER_FRAME	bytes that a function takes from it at least, behind
 *				its sled, before it calls
 *	WCM_SLEDS_AT_ONCE	a sled changes by one store, of WCM_SLED_WORD bytes, that
 *				other threads may execute meanwhile; else they stand
 *				still
 *	WCM_SLED_STUB		bytes of code that each sled needs nearby; 0: none
 *	WCM_LIBRARY_STUB	bytes of code for each library function that is called;
 *				0: such calls are not traced
 *	wcm__arch_library_stub(), wcm__arch_library_binding(),
 *	wcm__arch_library_is_unbound(), wcm__arch_library_reference()
 *				that code, and the program's: see x86_64/library_stub.h
 *	WCM_PASSED_IS_KNOWN	whether passed.c tells anything
 *	WCM_JUMP_SIZE		bytes of a jump, the first WCM_JUMP_FIRST of which
 *				change at once
 *	wcm__arch_ticks()	a counter that is read in a few nanoseconds
 *	wcm__arch_ticks_are_steady()
 *				whether it runs at one rate, on all CPUs alike
 *	wcm__arch_clone(flags, top, function, argument)
 *				clone(2) with FLAGS, which share memory: a process
 *				that calls FUNCTION on the stack that ends at TOP and
 *				ends with what it returns.  The process's id or a
 *				negated errno, -ENOSYS where the port cannot
 */
#include "regs.h"

/* Of a function that spends its time in loops: where in a line of the code cache these lie
 * decides up to a tenth of what they cost. */
#if __has_attribute(optimize)
#define WCM_ARCH_HOT_LOOPS \
	__attribute__((aligned(64), optimize("align-loops=64", "align-jumps=32")))
#else
#define WCM_ARCH_HOT_LOOPS __attribute__((aligned(64)))
#endif

/* Store what libc's code needs at a thread pointer of whose block nothing is set, besides that
 * it leads to itself. */
#ifndef WCM_ARCH_THREAD_BLOCK
#define WCM_ARCH_THREAD_BLOCK(pointer) ((void)(pointer))
#endif

/* Of a handler: what the program asked for of its own accesses does not hold for the library's. */
#ifndef WCM_ARCH_ALLOW_MISALIGNED
#define WCM_ARCH_ALLOW_MISALIGNED() ((void)0)
#endif

/* What the handler of a signal is given.  A kernel may give it the signal's number alone where
 * the action lacks SA_SIGINFO: then *INFO is of no signal, and UCONTEXT has the machine state where
 * a ucontext_t has it, and nothing else.  A handler calls the macro first of all, with its
 * arguments, and gives back what it got last of all. */
#ifndef WCM_ARCH_HANDED
struct wcm_handed {
	siginfo_t *info;
	void *ucontext;
};

#define WCM_ARCH_HANDED(info, ucontext) ((struct wcm_handed){ info, ucontext })

static inline void wcm__arch_handed_back(const struct wcm_handed *handed)
{
	(void)handed;
}
#endif

#endif
