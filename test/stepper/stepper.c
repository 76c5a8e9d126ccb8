/* SPDX-License-Identifier: MIT */
/* stepper.c - at every instruction of a program, is its stack known?
 *
 * Runs a program instruction by instruction under ptrace(2), keeps its own
 * record of calls and returns, and holds what the unwinder makes of the
 * registers against it.  Where they differ, the frame that was left wrongly is
 * counted and named by its module and offset.
 *
 *	stepper [-e] [-n MOST] PROGRAM [ARGUMENT...]
 *
 * -e runs freely up to the program's entry; -n ends after so many instructions.
 */
#include <errno.h>
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shadow.h"
#include "tracee.h"
#include "unwind/walk.h"

enum { FRAMES = 512, CULPRITS = 4096, INNER = 3, LONGEST = 15 };

/* Frames that were left wrongly, by where they stand and which frames are next to
 * them: what is wrong may be a register that an inner one gave back. */
struct culprit {
	uintptr_t pc[INNER]; /* itself, then inwards; 0: there is none */
	unsigned long count;
	char names[1024];
	enum wcm_stop stop;
	size_t depth;            /* of the first time, from the innermost */
	uintptr_t ours, theirs;  /* what the caller is, the first time; 0: none */
};

static struct culprit culprits[CULPRITS];
static size_t culprit_count;
static unsigned long instructions, stacks, frames_seen, differences, guesses;
static struct shadow shadow;
static pid_t tracee;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

static void get_registers(struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_GETREGS, tracee, NULL, regs) != 0)
		die("PTRACE_GETREGS");
}

/* Resume and wait.  False once the program has ended. */
static bool resume(int request, int signal, int *stopped_by)
{
	int status;

	if (ptrace(request, tracee, NULL, (long)signal) != 0)
		die("ptrace");
	if (waitpid(tracee, &status, 0) < 0)
		die("waitpid");
	tracee_moved();
	if (!WIFSTOPPED(status)) {
		if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
			printf("# the program ended with status %#x\n", status);
		return false;
	}
	*stopped_by = WSTOPSIG(status);
	return true;
}

/* What the unwinder says */

/* Where there is no code, the processor faults next and the kernel says so. */
static void set_fault(greg_t *greg)
{
	enum { PAGE_FAULT = 14 };
	char byte;
	bool fails = tracee_read((uintptr_t)greg[REG_RIP], &byte, 1) == 0;

	greg[REG_TRAPNO] = fails ? PAGE_FAULT : 0;
	greg[REG_CR2] = fails ? greg[REG_RIP] : 0;
}

static size_t unwind(const struct user_regs_struct *regs,
		     struct wcm_frame *frames, enum wcm_stop *stop)
{
	static ucontext_t context;
	greg_t *greg = context.uc_mcontext.gregs;
	struct wcm_walk walk;

	greg[REG_R8] = (greg_t)regs->r8;
	greg[REG_R9] = (greg_t)regs->r9;
	greg[REG_R10] = (greg_t)regs->r10;
	greg[REG_R11] = (greg_t)regs->r11;
	greg[REG_R12] = (greg_t)regs->r12;
	greg[REG_R13] = (greg_t)regs->r13;
	greg[REG_R14] = (greg_t)regs->r14;
	greg[REG_R15] = (greg_t)regs->r15;
	greg[REG_RDI] = (greg_t)regs->rdi;
	greg[REG_RSI] = (greg_t)regs->rsi;
	greg[REG_RBP] = (greg_t)regs->rbp;
	greg[REG_RBX] = (greg_t)regs->rbx;
	greg[REG_RDX] = (greg_t)regs->rdx;
	greg[REG_RAX] = (greg_t)regs->rax;
	greg[REG_RCX] = (greg_t)regs->rcx;
	greg[REG_RSP] = (greg_t)regs->rsp;
	greg[REG_RIP] = (greg_t)regs->rip;
	set_fault(greg);
	tracee_set_context(&context, sizeof(context));
	wcm__walk_start_context(&walk, (const void *)TRACEE_CONTEXT);
	return wcm__walk_collect(&walk, frames, FRAMES, 0, stop);
}

/* Now: its module may be gone later. */
static void name_frames(struct culprit *culprit)
{
	size_t used = 0;

	for (size_t i = 0; i < INNER && culprit->pc[i]; i++) {
		uintptr_t offset;
		const char *module = tracee_module(culprit->pc[i], &offset);
		int length = snprintf(culprit->names + used,
				      sizeof(culprit->names) - used,
				      " %s %#" PRIxPTR, module ? module : "?",
				      offset);

		if (length > 0 && (size_t)length < sizeof(culprit->names) - used)
			used += (size_t)length;
	}
}

static struct culprit *find_culprit(const struct wcm_frame *frames, size_t at)
{
	uintptr_t pc[INNER] = { 0 };
	struct culprit *culprit = culprits;

	for (size_t i = 0; i < INNER && i < at; i++)
		pc[i] = frames[at - 1 - i].pc;
	for (; culprit < culprits + culprit_count; culprit++)
		if (memcmp(culprit->pc, pc, sizeof(pc)) == 0)
			return culprit;
	if (culprit_count == CULPRITS)
		return NULL;
	culprit_count++;
	memcpy(culprit->pc, pc, sizeof(pc));
	name_frames(culprit);
	return culprit;
}

static void differ(const struct wcm_frame *frames, size_t count,
		   enum wcm_stop stop, size_t at)
{
	struct culprit *culprit = find_culprit(frames, at);

	differences++;
	if (!culprit || culprit->count++ > 0)
		return;
	culprit->stop = stop;
	culprit->depth = at;
	culprit->ours = at < count ? frames[at].pc : 0;
	culprit->theirs =
		at <= shadow.count ? shadow.call[shadow.count - at].pc : 0;
}

static void compare(const struct user_regs_struct *regs)
{
	static struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;
	size_t count = unwind(regs, frames, &stop), at = 1;
	size_t wanted = 1 + shadow.count;
	bool guessed = false;

	if (wanted > FRAMES)
		wanted = FRAMES;
	stacks++;
	frames_seen += count;
	for (size_t i = 0; i < count; i++)
		guessed |= (frames[i].flags & WCM_FRAME_GUESSED) != 0;
	guesses += guessed;
	while (at < count && at < wanted &&
	       frames[at].pc == shadow.call[shadow.count - at].pc)
		at++;
	if (at < count || at < wanted)
		differ(frames, count, stop, at);
}

/* What the processor does */

struct instruction {
	uintptr_t pc, sp;
	unsigned long number; /* of a system call */
	bool is_call, is_return, is_system_call;
};

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
	       byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

static struct instruction decode(const struct user_regs_struct *regs)
{
	struct instruction instruction = { .pc = regs->rip, .sp = regs->rsp,
					   .number = regs->rax };
	uint8_t code[LONGEST + 2] = { 0 };
	const uint8_t *at = code;

	tracee_read(regs->rip, code, LONGEST);
	while (at < code + LONGEST && is_prefix(*at))
		at++;
	instruction.is_call = at[0] == 0xe8 ||
			      (at[0] == 0xff && (at[1] >> 3 & 7) == 2);
	instruction.is_return = at[0] == 0xc3 || at[0] == 0xc2;
	instruction.is_system_call = at[0] == 0x0f && at[1] == 0x05;
	return instruction;
}

static uintptr_t read_word(uintptr_t addr)
{
	uintptr_t word = 0;

	tracee_read(addr, &word, sizeof(word));
	return word;
}

static void note_system_call(unsigned long number)
{
	switch (number) {
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_brk:
		tracee_remapped();
		break;
	case SYS_rt_sigreturn:
		shadow_sigreturn(&shadow);
		break;
	}
}

static void note(const struct instruction *instruction,
		 const struct user_regs_struct *regs)
{
	if (instruction->is_call && regs->rsp == instruction->sp - 8)
		shadow_call(&shadow, regs->rsp, read_word(regs->rsp));
	else if (instruction->is_return)
		shadow_return(&shadow, instruction->sp);
	else if (instruction->is_system_call)
		note_system_call(instruction->number);
	if (regs->rsp != instruction->sp)
		shadow_trim(&shadow, regs->rsp);
}

static bool has_handler(int signal)
{
	char path[64], line[256];
	unsigned long caught = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tracee);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigCgt: %lx", &caught);
	if (status)
		fclose(status);
	return caught >> (signal - 1) & 1;
}

/* Deliver SIGNAL at REGS, which then stand in the handler. */
static bool deliver(int signal, struct user_regs_struct *regs, int *stopped_by)
{
	uintptr_t sp = regs->rsp, pc = regs->rip;
	bool handled = has_handler(signal);

	if (!resume(PTRACE_SINGLESTEP, signal, stopped_by))
		return false;
	get_registers(regs);
	if (handled)
		shadow_signal(&shadow, sp, pc, regs->rsp, read_word(regs->rsp));
	return true;
}

static bool step(struct user_regs_struct *regs)
{
	struct instruction instruction = decode(regs);
	int stopped_by;

	if (!resume(PTRACE_SINGLESTEP, 0, &stopped_by))
		return false;
	get_registers(regs);
	if (stopped_by == SIGTRAP)
		note(&instruction, regs);
	while (stopped_by != SIGTRAP)
		if (!deliver(stopped_by, regs, &stopped_by))
			return false;
	if (regs->rip != instruction.pc || regs->rsp != instruction.sp) {
		instructions++; /* else the same string instruction repeats */
		compare(regs);
	}
	return true;
}

/* How it starts */

static uintptr_t entry_of_program(void)
{
	Elf64_auxv_t entry;
	uintptr_t found = 0;
	char path[64];
	FILE *auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)tracee);
	auxv = fopen(path, "re");
	while (auxv && fread(&entry, sizeof(entry), 1, auxv) == 1)
		if (entry.a_type == AT_ENTRY)
			found = entry.a_un.a_val;
	if (auxv)
		fclose(auxv);
	return found;
}

static void run_to(uintptr_t pc)
{
	long code = ptrace(PTRACE_PEEKTEXT, tracee, pc, NULL);
	struct user_regs_struct regs;
	int stopped_by;

	ptrace(PTRACE_POKETEXT, tracee, pc, (code & ~0xffL) | 0xcc);
	if (!resume(PTRACE_CONT, 0, &stopped_by) || stopped_by != SIGTRAP)
		die("the entry is not reached");
	ptrace(PTRACE_POKETEXT, tracee, pc, code);
	get_registers(&regs);
	regs.rip = pc;
	ptrace(PTRACE_SETREGS, tracee, NULL, &regs);
}

static void start(char *argv[])
{
	int status;

	tracee = fork();
	if (tracee == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(tracee, &status, 0) < 0 || !WIFSTOPPED(status))
		die(argv[0]);
	ptrace(PTRACE_SETOPTIONS, tracee, NULL, PTRACE_O_EXITKILL);
}

static void step_through(unsigned long most, bool from_entry)
{
	uintptr_t entry = entry_of_program();
	struct user_regs_struct regs;

	if (from_entry)
		run_to(entry);
	tracee_attach(tracee);
	get_registers(&regs);
	compare(&regs);
	do {
		if (regs.rip == entry)
			tracee_settled();
	} while (step(&regs) && instructions < most);
}

static void report(const char *program)
{
	for (const struct culprit *culprit = culprits;
	     culprit < culprits + culprit_count; culprit++)
		printf("differs %lu%s # frame %zu, ours %#" PRIxPTR
		       ", the record's %#" PRIxPTR ", stop %d\n",
		       culprit->count, culprit->names, culprit->depth,
		       culprit->ours, culprit->theirs,
		       (int)culprit->stop);
	printf("total %lu instructions %lu stacks %lu frames %lu differences "
	       "%lu guessed # %s\n",
	       instructions, stacks, frames_seen, differences, guesses,
	       program);
}

int main(int argc, char *argv[])
{
	unsigned long most = (unsigned long)-1;
	bool from_entry = false;
	int option;

	while ((option = getopt(argc, argv, "+en:")) != -1)
		switch (option) {
		case 'e':
			from_entry = true;
			break;
		case 'n':
			most = strtoul(optarg, NULL, 10);
			break;
		default:
			return 99;
		}
	if (optind == argc)
		return 99;
	start(argv + optind);
	step_through(most, from_entry);
	report(argv[optind]);
	return 0;
}
