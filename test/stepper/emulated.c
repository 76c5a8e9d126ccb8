/* SPDX-License-Identifier: MIT */
/* emulated.c - as stepper.c, of a program of one thread that an emulator runs.
 *
 * The stepper is one of the CPU that is judged, and an emulator runs it as well.  The
 * emulator's stub steps through a system call and the instruction behind it at once, and a
 * handler's first instruction is done when it stops again: a breakpoint ends both.
 *
 *	stepper [-e] [-n MOST] [-c DIRECTORY] EMULATOR PROGRAM [ARGUMENT...]
 *
 * -e runs freely up to the program's entry; -n ends after so many instructions; -c
 * keeps core files of what differs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"
#include "record.h"
#include "stub.h"
#include "tracee.h"

enum { SIGNALS = 64 };

static struct runner runner;
static uintptr_t handlers[SIGNALS + 1];
static unsigned long instructions;

/* The protocol has its own numbers for some. */
static int signal_of(int stub)
{
	static const struct {
		int stub, number;
	} differ[] = {
		{ 7, 0 },	{ 10, SIGBUS },	 { 12, SIGSYS }, { 16, SIGURG },
		{ 20, SIGCHLD }, { 30, SIGUSR1 }, { 31, SIGUSR2 },
	};

	for (size_t i = 0; i < sizeof(differ) / sizeof(*differ); i++)
		if (differ[i].stub == stub)
			return differ[i].number;
	return stub <= SIGTERM ? stub : 0;
}

/* The kernel's struct sigaction begins with the handler. */
static void note_action(uintptr_t number, uintptr_t action)
{
	if (number <= SIGNALS && action)
		handlers[number] = tracee_word(action);
}

static void note_stop(void)
{
	runner.registers = stub_registers();
	tracee_moved();
}

/* One that is done. */
static void note_instruction(void)
{
	record_instruction(&runner);
	instructions++;
	compare(&runner.registers, runner.shadow);
}

/* STUB is a signal that is about to be delivered where the program stands.  Returns why it
 * stops next. */
static int deliver(int stub)
{
	const uintptr_t handler = handlers[signal_of(stub)];
	int why;

	runner.instruction = machine_decode(&runner.registers);
	if (handler <= (uintptr_t)SIG_IGN)
		return stub_continue(stub);
	why = stub_run_to(handler, stub);
	if (why == STUB_ENDED)
		return why;
	note_stop();
	if (machine_pc(&runner.registers) != handler)
		return why;
	record_handler(&runner);
	instructions++;
	compare(&runner.registers, runner.shadow);
	return why;
}

/* Where the program goes on after the system call that it stands at. */
static uintptr_t behind_system_call(void)
{
	const struct instruction *call = &runner.instruction;

	return call->number == SYS_rt_sigreturn ? tracee_word(machine_interrupted_slot(call->sp))
						: call->pc + machine_system_call_size;
}

static int step(void)
{
	const uintptr_t *arguments = machine_arguments(&runner.registers);
	int why;

	runner.instruction = machine_decode(&runner.registers);
	if (!runner.instruction.is_system_call) {
		why = stub_step();
	} else {
		if (runner.instruction.number == SYS_rt_sigaction)
			note_action(arguments[0], arguments[1]);
		why = stub_run_to(behind_system_call(), 0);
	}
	if (why == STUB_ENDED)
		return why;
	note_stop();
	/* A fault leaves the program where it is. */
	if (why == STUB_STEPPED || runner.instruction.is_system_call)
		note_instruction();
	return why;
}

static void step_through(pid_t id, unsigned long most, bool from_entry)
{
	const struct tracee_access access = { stub_fetch, stub_auxv, (uintptr_t)1 << 46 };
	bool is_settled = false;
	uintptr_t entry;
	int why = STUB_STEPPED;

	tracee_attach(id, &access);
	entry = tracee_entry();
	if (from_entry)
		stub_run_to(entry, 0);
	note_stop();
	tracee_remapped();
	runner.shadow = shadow_start(machine_sp(&runner.registers));
	compare(&runner.registers, runner.shadow);
	while (why != STUB_ENDED && instructions < most) {
		if (!is_settled && machine_pc(&runner.registers) == entry) {
			tracee_settled();
			is_settled = true;
		}
		why = why == STUB_STEPPED ? step() : deliver(why);
	}
}

int main(int argc, char *argv[])
{
	unsigned long most = (unsigned long)-1;
	bool from_entry = false;
	int option, status = 0;
	pid_t id;

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
	if (argc - optind < 2)
		return 99;
	id = stub_start(argv + optind);
	step_through(id, most, from_entry);
	if (instructions < most && waitpid(id, &status, 0) == id && status)
		printf("# the program ended with status %#x\n", (unsigned)status);
	else
		kill(id, SIGKILL);
	compare_report(instructions, 1);
	return 0;
}
