/* SPDX-License-Identifier: MIT */
/* text.h (SAFE) - the lines of stacks and crash reports, each made from a struct.
 *
 * A crashed process fills the structs as it finds things out, the command from a report in JSON.
 * Strings are as they are in the process: what may hold any bytes is escaped here.  Each call
 * adds a whole line, its newline included, unless it says otherwise.
 */
#ifndef WCM_FORMAT_TEXT_H
#define WCM_FORMAT_TEXT_H

#include "format/line.h"
#include "whocallme/stack.h"
#include "whocallme/symbol.h"

/* How a line shows a name: as it is in the table, or otherwise. */
typedef void wcm_name_writer(struct wcm_line *line, const char *name);

/* How lines show addresses and functions. */
struct wcm_text_style {
	unsigned digits; /* of an address; 0: it is left out */
	wcm_name_writer *write_name;
};

/* The digits of an address of this process. */
enum { WCM_ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };

/* A cause in words: BEFORE, a NAME from the program unless it is NULL, AFTER, and
 * the program's MESSAGE unless it is NULL. */
struct wcm_cause_words {
	const char *before, *name, *message;
	char after[160];
};

/* What happened, and to whom. */
struct wcm_head_fact {
	const char *program, *thread;
	const char *signal, *signal_text; /* "SIGSEGV", "segmentation fault" */
	struct wcm_cause_words cause;
	int64_t process, thread_id;
	bool has_address;
	bool is_near_null; /* the address is PAST_NULL, and not 0 */
	bool has_sender;   /* that is to be shown */
	uint64_t address;
	int64_t past_null;
	int64_t sender;
};

/* A frame, and what is at its pc: no name, no module where that is unknown. */
struct wcm_frame_fact {
	uint64_t number, pc;
	uint32_t flags; /* WCM_FRAME_* */
	struct wcm_symbol symbol;
};

/* COUNT frames repeat the PERIOD frames before them, of which the first ones are listed. */
enum { WCM_ROUND_NAMED = 4 };
struct wcm_round_fact {
	uint64_t count, period;
	struct wcm_frame_fact frame[WCM_ROUND_NAMED];
};

/* A function at an address, as the resolver answers: its names are escaped already. */
struct wcm_answered {
	const char *function, *file; /* NULL: unknown */
	uint32_t line, column;       /* 0: unknown */
	bool inlined;
	const char *text; /* source lines, each with its tab and newline, or NULL */
};

/* The first line of a report, and the second. */
void wcm__text_signal(struct wcm_line *line, const struct wcm_head_fact *head, unsigned digits);
void wcm__text_process(struct wcm_line *line, const struct wcm_head_fact *head);

void wcm__text_program(struct wcm_line *line, const char *path);

/* Why a stack ends, by enum wcm_stop, as JSON names it. */
enum { WCM_STOPS = WCM_STOP_UNREADABLE + 1 };
extern const char *const wcm__stop_names[WCM_STOPS] __attribute__((visibility("hidden")));

/* One of the program's arguments; not the whole line. */
void wcm__text_argument(struct wcm_line *line, const char *argument);

void wcm__text_frame(struct wcm_line *line, const struct wcm_frame_fact *frame,
		     const struct wcm_text_style *style);
void wcm__text_gap(struct wcm_line *line, uint64_t count);
void wcm__text_round(struct wcm_line *line, const struct wcm_round_fact *round,
		     wcm_name_writer *write_name);

/* Why a stack ends, and WHY that is so, or NULL; nothing where all of it was seen.  NONE stands
 * for want of time. */
void wcm__text_stop(struct wcm_line *line, enum wcm_stop stop, const char *why);

/* Behind the name of a thread that did not answer. */
#define WCM_NO_ANSWER " did not answer"
#define WCM_NO_ANSWER_BLOCKED WCM_NO_ANSWER ": has blocked signals"

/* The heading of COUNT threads that have one stack: its beginning; each row of threads of one
 * name whose ids follow each other, by its number from 0 on; and its end.  A long heading is
 * written line by line. */
void wcm__text_threads_begin(struct wcm_line *line, uint64_t count);
void wcm__text_threads_row(struct wcm_line *line, size_t row, int64_t first, int64_t last,
			   const char *name);
void wcm__text_threads_end(struct wcm_line *line, bool answered, bool blocked);

/* "outer at /tmp/demo/prog.c:12:2 (inlined)", or as much of it as is known; not the whole
 * line. */
void wcm__text_location(struct wcm_line *line, const struct wcm_answered *answered);

/* The function at ADDRESS that SYMBOL is of, or where it lies; not the whole line. */
void wcm__text_symbol(struct wcm_line *line, uint64_t address,
		      const struct wcm_symbol *symbol, wcm_name_writer *write_name);

/* An address, DIGITS wide, and "16 bytes past NULL"; not the whole line. */
void wcm__text_address(struct wcm_line *line, uint64_t address, unsigned digits);
void wcm__text_from_null(struct wcm_line *line, int64_t past);

/* So many BYTES, "1 byte " or "2 bytes ", and PAST, or BEFORE where they are negative; not the
 * whole line. */
void wcm__text_distance(struct wcm_line *line, int64_t bytes, const char *past,
			const char *before);

#endif
