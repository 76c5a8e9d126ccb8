/* SPDX-License-Identifier: MIT */
/* system_processes.c (SAFE) - times, handlers of signals, and what processes end with, begin with
 * and run on. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "trace/system/system_kinds.h"

WCM_GROUP(clone);
WCM_STRUCT(timespec);

/* What is left of a sleep is told where a signal has ended it. */
void wcm__system_put_interrupted(const struct wcm_system_value *value)
{
	struct wcm_system_value left = *value;

	left.is_hidden = value->call->result != -EINTR;
	wcm__system_struct_at(&left, wcm__struct_timespec);
}

void wcm__system_put_file_time(const struct wcm_system_value *value)
{
	const long *time = value->bytes;

	if (time[1] == UTIME_NOW)
		wcm__words_text(value->words, "UTIME_NOW");
	else if (time[1] == UTIME_OMIT)
		wcm__words_text(value->words, "UTIME_OMIT");
	else
		wcm__system_struct(value, wcm__struct_timespec, time);
}

void wcm__system_put_handler(const struct wcm_system_value *value)
{
	const uintptr_t handler = (uintptr_t)value->value;

	if (handler == (uintptr_t)SIG_DFL)
		wcm__words_text(value->words, "SIG_DFL");
	else if (handler == (uintptr_t)SIG_IGN)
		wcm__words_text(value->words, "SIG_IGN");
	else
		wcm__words_function(value->words, handler);
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

	found.is_hidden = !value->is_done || value->call->result <= 0;
	if (!wcm__system_fetch(&found, &status, sizeof(status)))
		return;
	wcm__words_text(value->words, "[{");
	put_status_words(value->words, status);
	wcm__words_text(value->words, "}]");
}

/* Beside them is the signal that tells of the end. */
void wcm__system_put_clone_flags(const struct wcm_system_value *value)
{
	const uint64_t flags = value->value & ~(uint64_t)CSIGNAL, end = value->value & CSIGNAL;

	if (flags)
		wcm__system_group(value->words, wcm__group_clone, flags);
	if (flags && end)
		wcm__words_text(value->words, "|");
	if (end || !flags)
		wcm__system_signal(value->words, end);
}

void wcm__system_put_limit(const struct wcm_system_value *value)
{
	if (value->value == (unsigned long)RLIM_INFINITY || value->value == UINT64_MAX)
		wcm__words_text(value->words, "RLIM_INFINITY");
	else
		wcm__words_unsigned(value->words, value->value);
}

/* The argument before it is its size; the kernel fills as much as the result says. */
void wcm__system_put_cpus(const struct wcm_system_value *value)
{
	enum { BITS = 8 * sizeof(unsigned long), MOST = 8192 };
	unsigned long bits[MOST / BITS] = { 0 };
	uint64_t size = wcm__system_beside(value, -1);

	if (value->is_later && value->is_done)
		size = (uint64_t)value->call->result;
	if (size > sizeof(bits))
		size = sizeof(bits);
	if (!wcm__system_fetch(value, bits, (size_t)size))
		return;
	wcm__system_bits(value->words, bits, MOST);
}
