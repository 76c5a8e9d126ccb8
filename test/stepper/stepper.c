/* SPDX-License-Identifier: MIT */
/* stepper.c - at every instruction of a program, is its stack known?
 *
 * Runs a program instruction by instruction under ptrace(2), keeps its own
 * record of calls and returns, and holds what the unwinder makes of the
 * registers against it.
 *
 * Threads take turns, one instruction at a time running in all of the process;
 * but one that is in a system call, which another may have to end, does not keep
 * the others waiting.
 *
 *	stepper [-e] [-n MOST] [-c DIRECTORY] PROGRAM [ARGUMENT...]
 *
 * -e runs freely up to the program's entry; -n ends after so many instructions; -c
 * keeps core files of what differs.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"
#include "record.h"
#include "tracee.h"

enum { THREADS = 64, TURN = 50 }; /* instructions until another thread's turn */

struct thread {
	pid_t id;
	struct runner runner;
	int signal; /* to deliver when it is let go */
	bool is_running, enters_handler;
};

static struct thread threads[THREADS];
static size_t thread_count;
static unsigned threads_seen;
static unsigned long instructions;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

/* False if the thread is gone: another has just ended the process. */
static bool get_registers(struct thread *thread)
{
	if (ptrace(PTRACE_GETREGS, thread->id, NULL,
		   &thread->runner.registers) == 0)
		return true;
	if (errno != ESRCH)
		die("PTRACE_GETREGS");
	thread->is_running = true;
	return false;
}

static bool has_handler(pid_t id, int signal)
{
	char path[64], line[256];
	uint64_t caught = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)id);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigCgt: %" SCNx64, &caught);
	if (status)
		fclose(status);
	return caught >> (signal - 1) & 1;
}

/* Threads */

static struct thread *add_thread(pid_t id)
{
	struct thread *thread = &threads[thread_count++];

	if (thread_count > THREADS)
		die("too many threads");
	threads_seen++;
	*thread = (struct thread){ .id = id };
	get_registers(thread);
	thread->runner.shadow = shadow_start(machine_sp(&thread->runner.registers));
	return thread;
}

static void adopt(pid_t parent)
{
	unsigned long id = 0;
	int status;

	ptrace(PTRACE_GETEVENTMSG, parent, NULL, &id);
	if (waitpid((pid_t)id, &status, __WALL) < 0 || !WIFSTOPPED(status))
		die("a new thread");
	tracee_remapped(); /* by the thread that makes it, as likely as not */
	add_thread((pid_t)id);
	compare(&threads[thread_count - 1].runner.registers,
		threads[thread_count - 1].runner.shadow);
}

static void end_thread(struct thread *thread, int status)
{
	if (thread == threads && (WIFSIGNALED(status) || WEXITSTATUS(status)))
		printf("# the program ended with status %#x\n", status);
	shadow_end(thread->runner.shadow);
	memmove(thread, thread + 1,
		(size_t)(threads + --thread_count - thread) * sizeof(*thread));
}

static void let_go(struct thread *thread)
{
	thread->runner.instruction = machine_decode(&thread->runner.registers);
	thread->enters_handler =
		thread->signal && has_handler(thread->id, thread->signal);
	thread->is_running = true;
	if (ptrace(PTRACE_SINGLESTEP, thread->id, NULL,
		   (long)thread->signal) != 0 && errno != ESRCH)
		die("PTRACE_SINGLESTEP");
	thread->signal = 0;
	tracee_moved();
}

/* An instruction is done, or a handler is entered instead. */
static void stepped(struct thread *thread)
{
	struct runner *runner = &thread->runner;

	if (!get_registers(thread))
		return;
	if (thread->enters_handler)
		record_handler(runner);
	else
		record_instruction(runner);
	if (machine_pc(&runner->registers) == runner->instruction.pc &&
	    machine_sp(&runner->registers) == runner->instruction.sp)
		return; /* the same string instruction repeats */
	instructions++;
	compare(&runner->registers, runner->shadow);
}

static void stopped(struct thread *thread, int status)
{
	if (!WIFSTOPPED(status)) {
		end_thread(thread, status);
		return;
	}
	if (status >> 16 == PTRACE_EVENT_CLONE) {
		adopt(thread->id);
		if (ptrace(PTRACE_SINGLESTEP, thread->id, NULL, 0L) != 0)
			die("PTRACE_SINGLESTEP");
		return;
	}
	thread->is_running = false;
	if (WSTOPSIG(status) == SIGTRAP) {
		stepped(thread);
		return;
	}
	/* One that arrived while another's handler was being entered. */
	if (thread->enters_handler && get_registers(thread)) {
		record_handler(&thread->runner);
		thread->enters_handler = false;
	}
	thread->signal = WSTOPSIG(status);
}

/* Wait for the thread ID, or any if it is -1. */
static bool wait_for(pid_t id, int flags)
{
	int status;
	pid_t found = waitpid(id, &status, __WALL | flags);

	if (found < 0)
		die("waitpid");
	tracee_moved();
	for (size_t i = 0; i < thread_count; i++)
		if (threads[i].id == found) {
			stopped(&threads[i], status);
			break;
		}
	return found > 0;
}

/* What others may have done meanwhile. */
static void poll_others(void)
{
	while (thread_count > 1 && wait_for(-1, WNOHANG))
		;
}

/* The next thread that can run: the last one, until its turn is over. */
static struct thread *choose(void)
{
	static size_t chosen, turn;

	if (turn++ % TURN == 0) {
		poll_others();
		chosen++;
	}
	for (size_t i = 0; i < thread_count; i++) {
		size_t at = (chosen + i) % thread_count;

		if (!threads[at].is_running) {
			chosen = at;
			return &threads[at];
		}
	}
	return NULL;
}

static void step(void)
{
	struct thread *thread = choose();

	if (!thread) {
		wait_for(-1, 0);
		return;
	}
	let_go(thread);
	if (thread_count == 1 || !thread->runner.instruction.is_system_call)
		wait_for(thread->id, 0);
	else
		poll_others();
}

/* How it starts */

/* All of a page, or nothing. */
static bool fetch(pid_t id, uintptr_t address, void *page, size_t size)
{
	struct iovec local = { page, size };
	struct iovec remote = { (void *)address, size };

	return process_vm_readv(id, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static size_t read_auxv(pid_t id, void *auxv, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)id);
	file = fopen(path, "re");
	size = file ? fread(auxv, 1, size, file) : 0;
	if (file)
		fclose(file);
	return size;
}

static void run_to(pid_t id, uintptr_t pc)
{
	long code = ptrace(PTRACE_PEEKTEXT, id, pc, NULL);
	struct registers registers;
	int status;

	ptrace(PTRACE_POKETEXT, id, pc, (code & ~0xffL) | 0xcc);
	if (ptrace(PTRACE_CONT, id, NULL, 0L) != 0 ||
	    waitpid(id, &status, 0) < 0 || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP)
		die("the entry is not reached");
	ptrace(PTRACE_POKETEXT, id, pc, code);
	ptrace(PTRACE_GETREGS, id, NULL, &registers);
	machine_set_pc(&registers, pc);
	ptrace(PTRACE_SETREGS, id, NULL, &registers);
}

static pid_t start(char *argv[])
{
	pid_t id = fork();
	int status;

	if (id == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(id, &status, 0) < 0 || !WIFSTOPPED(status))
		die(argv[0]);
	ptrace(PTRACE_SETOPTIONS, id, NULL,
	       PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
	return id;
}

static void step_through(pid_t id, unsigned long most, bool from_entry)
{
	const struct tracee_access access = { fetch, read_auxv, UINTPTR_MAX };
	bool is_settled = false;
	uintptr_t entry;

	tracee_attach(id, &access);
	entry = tracee_entry();
	if (from_entry)
		run_to(id, entry);
	tracee_moved();
	tracee_remapped();
	add_thread(id);
	compare(&threads->runner.registers, threads->runner.shadow);
	while (thread_count > 0 && instructions < most) {
		if (!is_settled && machine_pc(&threads->runner.registers) == entry) {
			tracee_settled();
			is_settled = true;
		}
		step();
	}
}

int main(int argc, char *argv[])
{
	unsigned long most = (unsigned long)-1;
	bool from_entry = false;
	int option;

	while ((option = getopt(argc, argv, "+c:en:")) != -1)
		switch (option) {
		case 'c':
			compare_keep_cores(optarg);
			break;
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
	step_through(start(argv + optind), most, from_entry);
	compare_report(instructions, threads_seen);
	return 0;
}
