/* SPDX-License-Identifier: MIT */
/* system_time.c (SAFE) - structs of times. */
#include <errno.h>
#include <sys/stat.h>

#include "trace/system/system_kinds.h"

static void put_time(struct wcm_words *words, const long time[2], const char *part)
{
	wcm__words_text(words, "{tv_sec=");
	wcm__words_signed(words, time[0]);
	wcm__words_text(words, part);
	wcm__words_signed(words, time[1]);
	wcm__words_text(words, "}");
}

void wcm__system_timespec(struct wcm_words *words, const long time[2])
{
	put_time(words, time, ", tv_nsec=");
}

void wcm__system_timeval(struct wcm_words *words, const long time[2])
{
	put_time(words, time, ", tv_usec=");
}

void wcm__system_put_timespec(const struct wcm_system_value *value)
{
	long time[2];

	if (wcm__system_fetch(value, time, sizeof(time)))
		wcm__system_timespec(value->words, time);
}

void wcm__system_put_timeval(const struct wcm_system_value *value)
{
	long time[2];

	if (wcm__system_fetch(value, time, sizeof(time)))
		wcm__system_timeval(value->words, time);
}

/* What is left of a sleep is told where a signal has ended it. */
void wcm__system_put_interrupted(const struct wcm_system_value *value)
{
	struct wcm_system_value left = *value;

	left.is_done = value->call->result == -EINTR && !value->is_done;
	wcm__system_put_timespec(&left);
}

static void put_file_time(struct wcm_words *words, const long time[2])
{
	if (time[1] == UTIME_NOW)
		wcm__words_text(words, "UTIME_NOW");
	else if (time[1] == UTIME_OMIT)
		wcm__words_text(words, "UTIME_OMIT");
	else
		wcm__system_timespec(words, time);
}

static void put_two(const struct wcm_system_value *value, const char *first, const char *second,
		    const char *end, void (*put)(struct wcm_words *words, const long time[2]))
{
	long times[4];

	if (!wcm__system_fetch(value, times, sizeof(times)))
		return;
	wcm__words_text(value->words, first);
	put(value->words, times);
	wcm__words_text(value->words, second);
	put(value->words, times + 2);
	wcm__words_text(value->words, end);
}

void wcm__system_put_timespecs(const struct wcm_system_value *value)
{
	put_two(value, "[", ", ", "]", put_file_time);
}

void wcm__system_put_timevals(const struct wcm_system_value *value)
{
	put_two(value, "[", ", ", "]", wcm__system_timeval);
}

void wcm__system_put_itimerval(const struct wcm_system_value *value)
{
	put_two(value, "{it_interval=", ", it_value=", "}", wcm__system_timeval);
}

void wcm__system_put_itimerspec(const struct wcm_system_value *value)
{
	put_two(value, "{it_interval=", ", it_value=", "}", wcm__system_timespec);
}
