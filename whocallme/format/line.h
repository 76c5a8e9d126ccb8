/* SPDX-License-Identifier: MIT */
/* line.h (SAFE) - gathers a line of text in parts, and writes it at once.
 *
 * Names are referred to where they are, so that a line may be of any length and
 * still go out in one write; only numbers and escapes need room of their own.
 */
#ifndef WCM_FORMAT_LINE_H
#define WCM_FORMAT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { WCM_LINE_PARTS = 48, WCM_LINE_SCRATCH = 2048 };

struct wcm_line {
	struct iovec part[WCM_LINE_PARTS];
	int count;
	int fd;
	/* NULL: FD takes the parts; else this does, with TO. */
	bool (*sink)(void *to, const struct iovec *part, int count);
	void *to;
	bool failed;  /* FD did not take everything */
	bool colours; /* a terminal reads it */
	size_t used;
	char scratch[WCM_LINE_SCRATCH];
};

void wcm__line_init(struct wcm_line *line, int fd);

/* Begin a line that the library itself has to say, with WCM_OWN_LINE. */
void wcm__line_begin(struct wcm_line *line, int fd);

/* Write such a line to FD: BEFORE; the NAME, as below, unless it is NULL; AFTER. */
void wcm__line_say(int fd, const char *before, const char *name, const char *after);

/* Add NAME, whose control bytes, backslashes and invalid UTF-8 appear as \xNN:
 * different names never look the same. */
void wcm__line_name(struct wcm_line *line, const char *name);

/* The same in quotation marks, those inside being escaped, too. */
void wcm__line_quoted(struct wcm_line *line, const char *name);

/* Add VALUE: 0x and at least DIGITS hexadecimal digits; or decimal. */
void wcm__line_hex(struct wcm_line *line, uint64_t value, unsigned digits);
void wcm__line_decimal(struct wcm_line *line, int64_t value);

/* Add the first SIZE bytes of TEXT as they are. */
void wcm__line_span(struct wcm_line *line, const char *text, size_t size);

/* Add TEXT as it is; it must stay unchanged until the line is written.  Inline: compilers know
 * how long a literal is. */
static inline void wcm__line_text(struct wcm_line *line, const char *text)
{
	wcm__line_span(line, text, __builtin_strlen(text));
}

/* What follows is of less weight, is what matters, is the line meant, is a source location, is
 * as usual again: shown on a terminal only. */
void wcm__line_dim(struct wcm_line *line);
void wcm__line_alarm(struct wcm_line *line);
void wcm__line_bold(struct wcm_line *line);
void wcm__line_location(struct wcm_line *line);
void wcm__line_plain(struct wcm_line *line);

/* Add BYTES in hexadecimal. */
void wcm__line_bytes(struct wcm_line *line, const uint8_t *bytes, size_t size);

/* The room left for text that has yet to be made, *SIZE bytes; then add the
 * first USED bytes of it. */
char *wcm__line_room(struct wcm_line *line, size_t *size);
void wcm__line_use_room(struct wcm_line *line, size_t used);

/* Write what was gathered.  False where FD has not taken all of the line. */
bool wcm__line_write(struct wcm_line *line);

#endif
