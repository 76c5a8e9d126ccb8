/* SPDX-License-Identifier: MIT */
/* report.c - what a crash looks like on a terminal.
 *
 * The facts that cannot fail come first, the stack last, line by line, so that
 * whatever goes wrong later in a broken process, what was written stands.
 */
#include "crash/report.h"

#include <string.h>
#include <sys/prctl.h>

#include "crash/describe.h"
#include "report/line.h"
#include "report/text.h"
#include "symbols/auxv.h"
#include "syscall.h"
#include "unwind/walk.h"

enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t), THREAD_NAME = 16 };

/* A stack that overflowed has a hundred thousand frames.  The innermost tell
 * what recursed, the outermost how it came to that. */
enum { INNERMOST = 64, OUTERMOST = 32 };

static const char *program_name(void)
{
	const char *path = (const char *)wcm__auxv(AT_EXECFN);
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "program";
}

static void start_line(struct wcm_line *line, int fd)
{
	wcm__line_init(line, fd);
	wcm__line_text(line, "<whocallme>: ");
}

static void write_signal(int fd, const siginfo_t *info)
{
	struct wcm_line line;

	start_line(&line, fd);
	wcm__line_name(&line, program_name());
	wcm__line_text(&line, ": ");
	wcm__line_text(&line, wcm__signal_name(info->si_signo));
	wcm__line_text(&line, ", ");
	wcm__line_text(&line, wcm__signal_text(info->si_signo));
	wcm__line_text(&line, ": ");
	wcm__line_text(&line, wcm__signal_cause(info));
	if (wcm__signal_is_fault(info)) {
		wcm__line_text(&line, ", at ");
		wcm__line_hex(&line, (uintptr_t)info->si_addr, ADDRESS_DIGITS);
	} else if (wcm__signal_has_sender(info)) {
		wcm__line_text(&line, ", by process ");
		wcm__line_decimal(&line, info->si_pid);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static void write_thread(int fd)
{
	char name[THREAD_NAME] = "";
	struct wcm_line line;

	wcm__syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	start_line(&line, fd);
	wcm__line_text(&line, "process ");
	wcm__line_decimal(&line, wcm__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0));
	wcm__line_text(&line, ", thread ");
	wcm__line_decimal(&line, wcm__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0));
	wcm__line_text(&line, " \"");
	wcm__line_name(&line, name);
	wcm__line_text(&line, "\"\n");
	wcm__line_write(&line);
}

static void write_gap(int fd, size_t count)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	wcm__line_text(&line, "(");
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, " frames left out)\n");
	wcm__line_write(&line);
}

static void write_stack(int fd, const void *ucontext)
{
	struct wcm_frame last[OUTERMOST];
	struct wcm_walk walk;
	size_t count = 0, shown;

	for (wcm__walk_start_context(&walk, ucontext);
	     walk.stop == WCM_STOP_NONE; wcm__walk_next(&walk), count++)
		if (count < INNERMOST)
			wcm__text_frame(fd, &walk.frame, count, wcm__line_name);
		else
			last[count % OUTERMOST] = walk.frame;

	shown = count < INNERMOST ? count : INNERMOST;
	if (count - shown > OUTERMOST) {
		write_gap(fd, count - shown - OUTERMOST);
		shown = count - OUTERMOST;
	}
	for (; shown < count; shown++)
		wcm__text_frame(fd, &last[shown % OUTERMOST], shown,
				wcm__line_name);
	wcm__text_stop(fd, walk.stop);
}

bool wcm__crash_report(const struct wcm_crash_report *report)
{
	write_signal(report->fd, report->info);
	write_thread(report->fd);
	write_stack(report->fd, report->ucontext);
	return true;
}
