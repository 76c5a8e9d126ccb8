/* SPDX-License-Identifier: MIT */
/* system_signals.c (SAFE) - sets and actions of signals, and what they tell. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "core/os/kernel_action.h"
#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(action);
WCM_GROUP(child_code);
WCM_GROUP(code);
WCM_GROUP(event);
WCM_GROUP(stack);

/* The kernel's, of 64 bits. */
void wcm__system_put_sigset(const struct wcm_system_value *value)
{
	uint64_t set;

	if (wcm__system_fetch(value, &set, sizeof(set)))
		wcm__system_set(value->words, set);
}

static void put_handler(struct wcm_words *words, uint64_t handler)
{
	if (handler == (uintptr_t)SIG_DFL)
		wcm__words_text(words, "SIG_DFL");
	else if (handler == (uintptr_t)SIG_IGN)
		wcm__words_text(words, "SIG_IGN");
	else
		wcm__words_function(words, (uintptr_t)handler);
}

static void put_action_flags(struct wcm_words *words, uint64_t flags)
{
	wcm__system_group(words, wcm__group_action, flags);
}

void wcm__system_put_action_struct(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct wcm_kernel_action action;
	const size_t without = wcm__system_restorer ? 0 : sizeof(action.restorer);

	if (!wcm__system_fetch(value, &action, sizeof(action) - without))
		return;
	wcm__system_member(words, action.flags & SA_SIGINFO ? "{sa_sigaction=" : "{sa_handler=",
			   action.handler, put_handler);
	wcm__system_member(words, ", sa_mask=", action.mask, wcm__system_set);
	wcm__system_member(words, ", sa_flags=", action.flags, put_action_flags);
	if (action.flags & wcm__system_restorer)
		wcm__system_member(words, ", sa_restorer=", action.restorer, wcm__system_address);
	wcm__words_text(words, "}");
}

static void put_stack_flags(struct wcm_words *words, uint64_t flags)
{
	wcm__system_group(words, wcm__group_stack, flags);
}

void wcm__system_put_stack_struct(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	stack_t stack;

	if (!wcm__system_fetch(value, &stack, sizeof(stack)))
		return;
	wcm__system_member(words, "{ss_sp=", (uintptr_t)stack.ss_sp, wcm__system_address);
	wcm__system_member(words, ", ss_flags=", (uint32_t)stack.ss_flags, put_stack_flags);
	wcm__system_member(words, ", ss_size=", stack.ss_size, wcm__words_unsigned);
	wcm__words_text(words, "}");
}

static void put_event(struct wcm_words *words, uint64_t event)
{
	wcm__system_group(words, wcm__group_event, event);
}

/* How a timer is to tell that it is over. */
void wcm__system_put_sigevent(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct sigevent event;
	uint32_t thread;

	if (!wcm__system_fetch(value, &event, sizeof(event)))
		return;
	wcm__words_text(words, "{");
	if (event.sigev_value.sival_ptr) {
		wcm__system_member(words, "sigev_value={sival_int=",
				   (uint32_t)event.sigev_value.sival_int, wcm__system_signed);
		wcm__system_member(words, ", sival_ptr=", (uintptr_t)event.sigev_value.sival_ptr,
				   wcm__system_address);
		wcm__words_text(words, "}, ");
	}
	wcm__system_member(words, "sigev_signo=", (uint32_t)event.sigev_signo,
			   wcm__system_signal);
	wcm__system_member(words, ", sigev_notify=", (uint32_t)event.sigev_notify, put_event);
	if (event.sigev_notify == SIGEV_THREAD_ID) { /* which some libcs have no name for */
		memcpy(&thread, &event.sigev_notify + 1, sizeof(thread));
		wcm__system_member(words, ", sigev_notify_thread_id=", thread, wcm__system_id);
	}
	wcm__words_text(words, "}");
}

static void put_child_code(struct wcm_words *words, uint64_t code)
{
	wcm__system_group(words, wcm__group_child_code, code);
}

static void put_code(struct wcm_words *words, uint64_t code)
{
	wcm__system_group(words, wcm__group_code, code);
}

static void put_status_or_signal(struct wcm_words *words, const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		wcm__words_id(words, info->si_status);
	else
		wcm__system_signal(words, (uint32_t)info->si_status);
}

/* What follows the code depends on it: who has sent the signal, which child, where. */
void wcm__system_put_siginfo(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	bool is_child;
	siginfo_t info;

	if (!wcm__system_fetch(value, &info, sizeof(info)))
		return;
	is_child = info.si_signo == SIGCHLD && info.si_code > 0;
	wcm__system_member(words, "{si_signo=", (uint32_t)info.si_signo, wcm__system_signal);
	wcm__system_member(words, ", si_code=", (uint32_t)info.si_code,
			   is_child ? put_child_code : put_code);
	if (info.si_code <= 0 || is_child) {
		wcm__system_member(words, ", si_pid=", (uint32_t)info.si_pid, wcm__system_id);
		wcm__system_member(words, ", si_uid=", info.si_uid, wcm__system_id);
	} else {
		wcm__system_member(words, ", si_addr=", (uintptr_t)info.si_addr,
				   wcm__system_address);
	}
	if (is_child) {
		wcm__words_text(words, ", si_status=");
		put_status_or_signal(words, &info);
	}
	wcm__words_text(words, ", ...}");
}

/* As the macros that take it apart. */
static void put_status_words(struct wcm_words *words, int status)
{
	if (WIFEXITED(status)) {
		wcm__words_text(words, "WIFEXITED(s) && WEXITSTATUS(s) == ");
		wcm__words_id(words, WEXITSTATUS(status));
	} else if (WIFSTOPPED(status)) {
		wcm__words_text(words, "WIFSTOPPED(s) && WSTOPSIG(s) == ");
		wcm__system_signal(words, (uint32_t)WSTOPSIG(status));
	} else if (WIFCONTINUED(status)) {
		wcm__words_text(words, "WIFCONTINUED(s)");
	} else {
		wcm__words_text(words, "WIFSIGNALED(s) && WTERMSIG(s) == ");
		wcm__system_signal(words, (uint32_t)WTERMSIG(status));
		if (WCOREDUMP(status))
			wcm__words_text(words, " && WCOREDUMP(s)");
	}
}

/* There is one where a child was found. */
void wcm__system_put_status(const struct wcm_system_value *value)
{
	struct wcm_system_value found = *value;
	int status;

	found.is_done = value->is_done && value->call->result > 0;
	if (!wcm__system_fetch(&found, &status, sizeof(status)))
		return;
	wcm__words_text(value->words, "[{");
	put_status_words(value->words, status);
	wcm__words_text(value->words, "}]");
}
