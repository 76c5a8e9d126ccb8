/* SPDX-License-Identifier: MIT */
/* resolver_protocol.c (SAFE) - sends requests to the resolver, and checks its answers.
 *
 * The resolver reads files that anybody may have made, so an answer is checked and
 * brought into a simpler form before any of it is used.  A resolver that does not
 * answer once is ended: its late answer would be taken for that to the next request.
 */
#include "lines/resolver_protocol.h"

#include <errno.h>
#include <string.h>

#include "core/os/clock.h"
#include "core/os/socket.h"
#include "format/words.h"

/* Wait for EVENTS, or for a millisecond if ppoll(2) fails: a filter may forbid it, or the
 * limit of open files be zero.  False if DEADLINE has passed. */
static bool wait_for(int fd, short events, uint64_t deadline)
{
	const uint64_t now = wcm__clock_ns();
	int found;

	if (deadline <= now)
		return false;
	found = wcm__poll(fd, events, deadline - now);
	if (found < 0 && found != -EINTR)
		wcm__nanosleep(1000000);
	return found != 0;
}

/* MSG_DONTWAIT: readiness that ppoll(2) has told of may be gone again. */
static long receive(int fd, char *room, size_t size, int flags)
{
	long got;

	do
		got = wcm__recv(fd, room, size, flags | MSG_DONTWAIT);
	while (got == -EINTR);
	return got;
}

/* Whether the resolver is there and has sent nothing since its last answer: what it has sent
 * would be taken for the answer to come.  One byte is peeked at and not taken: it is not needed,
 * as the resolver is ended then. */
static enum wcm_silence check_calm(int fd)
{
	char byte;
	long got = receive(fd, &byte, 1, MSG_PEEK);

	if (got == -EAGAIN)
		return WCM_SILENCE_NONE;
	return got > 0 ? WCM_SILENCE_NOISE : WCM_SILENCE_ENDED;
}

/* It does not block: a resolver that reads nothing must not keep the process beyond DEADLINE.
 * MSG_NOSIGNAL: a resolver that has ended must not kill the program by SIGPIPE. */
static enum wcm_silence send_request(int fd, const char *text, size_t size,
				      uint64_t deadline)
{
	while (size > 0) {
		long sent = wcm__send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent == -EINTR)
			continue;
		if (sent == -EAGAIN) {
			if (!wait_for(fd, POLLOUT, deadline))
				return WCM_SILENCE_LATE;
			continue;
		}
		if (sent <= 0)
			return WCM_SILENCE_ENDED;
		text += sent;
		size -= (size_t)sent;
	}
	return WCM_SILENCE_NONE;
}

/* How many bytes the answer takes that TEXT begins with, the empty line at its end included; 0
 * where it goes on.  What is before FROM has been looked at.  One byte before FROM is looked at
 * again: the two newlines may have come in two parts. */
static size_t whole_answer(const char *text, size_t size, size_t from)
{
	const char *end;

	if (size > 0 && text[0] == '\n')
		return 1;
	for (size_t at = from > 0 ? from - 1 : 0;
	     at < size && (end = memchr(text + at, '\n', size - at));
	     at = (size_t)(end - text) + 1)
		if (end + 1 < text + size && end[1] == '\n')
			return (size_t)(end - text) + 2;
	return 0;
}

/* Read one whole answer and put a zero byte behind it.  Bytes after its end are noise, as
 * nothing else has been asked.  The last byte of the room is for the zero.  An answer that does
 * not fit is no answer: how much more would come is not known, and the next answer could not be
 * told from its rest. */
static enum wcm_silence receive_answer(struct wcm_resolver *resolver,
				       uint64_t deadline)
{
	char *answer = resolver->answer;
	size_t size = 0, whole = 0;

	while (whole == 0) {
		long got;

		if (size == WCM_ANSWER_SIZE - 1)
			return WCM_SILENCE_NOISE;
		got = receive(resolver->process.fd, answer + size,
			      WCM_ANSWER_SIZE - 1 - size, 0);
		if (got == -EAGAIN) {
			if (!wait_for(resolver->process.fd, POLLIN, deadline))
				return WCM_SILENCE_LATE;
			continue;
		}
		if (got <= 0)
			return WCM_SILENCE_ENDED;
		whole = whole_answer(answer, size + (size_t)got, size);
		size += (size_t)got;
	}
	answer[size] = '\0';
	resolver->size = size;
	return whole == size ? WCM_SILENCE_NONE : WCM_SILENCE_NOISE;
}

/* Put a question mark for each byte of what no terminal should be shown.  Tabs and newlines
 * stay, which the form of the answer consists of, and backslashes, which escape bytes. */
static void make_printable(char *text, size_t size)
{
	for (char *at = text; at < text + size; at++) {
		at += wcm__format_printable(at);
		if (at < text + size && *at != '\n' && *at != '\t' &&
		    *at != '\\')
			*at = '?';
	}
}

/* VALUE cannot overflow: it is at most ten times UINT32_MAX and nine before it is refused. */
static bool read_number(const char **at, uint32_t *number)
{
	const char *start = *at;
	uint64_t value = 0;

	for (; **at >= '0' && **at <= '9'; ++*at) {
		value = 10 * value + (uint64_t)(**at - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*number = (uint32_t)value;
	return *at > start;
}

/* Ends at the newline, so that nothing can hide behind the numbers. */
static bool is_pair_of_numbers(const char *at)
{
	uint32_t number;

	return read_number(&at, &number) && *at++ == ':' &&
	       read_number(&at, &number) && *at == '\n';
}

/* The last but one colon of the line [LINE, END), if numbers follow it, or NULL.  It is
 * searched for from the end, since names of files may have colons, too. */
static char *before_numbers(char *line, const char *end)
{
	unsigned colons = 0;

	for (char *at = line + (end - line); at-- > line;)
		if (*at == ':' && ++colons == 2)
			return at > line && is_pair_of_numbers(at + 1) ? at :
									 NULL;
	return NULL;
}

/* An answer is turned into strings in place.  OUT never passes IN, as no step writes more than
 * it reads: [IN, END) has not been read yet, and the strings end at OUT.  END is the last byte,
 * the newline of the empty line; behind it is a zero. */
struct digestion {
	char *in, *end, *out;
};

/* Take the bytes up to TO along. */
static void move(struct digestion *digestion, const char *to)
{
	size_t size = (size_t)(to - digestion->in);

	memmove(digestion->out, digestion->in, size);
	digestion->in += size;
	digestion->out += size;
}

/* Take the bytes up to END along, and a zero byte for the one there. */
static void move_string(struct digestion *digestion, const char *end)
{
	move(digestion, end);
	digestion->in++;
	*digestion->out++ = '\0';
}

/* NULL only behind the last line: an answer that is whole ends with a newline. */
static char *end_of_line(const struct digestion *digestion)
{
	return memchr(digestion->in, '\n',
		      (size_t)(digestion->end - digestion->in));
}

static bool is_at(const struct digestion *digestion, char first)
{
	return digestion->in < digestion->end && *digestion->in == first;
}

/* FUNCTION, FILE, and LINE:COLUMN with the text behind: three strings.  Checked line by line: a
 * name, a location with two numbers, and any lines of source, each of which begins with its
 * mark.  A name that begins with that mark is refused. */
static bool digest_function(struct digestion *digestion)
{
	char *end = end_of_line(digestion), *colon;

	if (!end || is_at(digestion, WCM_PROTOCOL_SOURCE))
		return false;
	move_string(digestion, end);
	end = end_of_line(digestion);
	colon = end ? before_numbers(digestion->in, end) : NULL;
	if (!colon)
		return false;
	move_string(digestion, colon);
	move(digestion, end);
	digestion->in++;
	while (is_at(digestion, WCM_PROTOCOL_SOURCE))
		move(digestion, end_of_line(digestion) + 1);
	*digestion->out++ = '\0';
	return true;
}

/* It may look beyond END: the zero byte there differs from the mark. */
static bool is_complaint(const struct digestion *digestion)
{
	return memcmp(digestion->in, WCM_PROTOCOL_COMPLAINT,
		      strlen(WCM_PROTOCOL_COMPLAINT)) == 0;
}

/* Of several complaints the first one is kept. */
static void digest_complaints(struct wcm_resolver *resolver,
			      struct digestion *digestion)
{
	while (is_complaint(digestion)) {
		char *end = end_of_line(digestion);

		if (resolver->complaint) {
			digestion->in = end + 1;
		} else {
			resolver->complaint = digestion->out + strlen(WCM_PROTOCOL_COMPLAINT);
			move_string(digestion, end);
		}
	}
}

/* Bring the answer into the form that wcm__resolver_next() reads. */
static enum wcm_silence digest(struct wcm_resolver *resolver)
{
	char *answer = resolver->answer;
	struct digestion digestion = { answer, answer + resolver->size - 1,
				       answer };

	make_printable(answer, resolver->size);
	digest_complaints(resolver, &digestion);
	while (digestion.in < digestion.end)
		if (!digest_function(&digestion))
			return WCM_SILENCE_NOISE;
	resolver->size = (size_t)(digestion.out - answer);
	return WCM_SILENCE_NONE;
}

/* The request is made in the room of the answer, which is not needed until it is sent.  The
 * program may have closed the descriptor, and have another file there by now, which must not be
 * written to. */
static enum wcm_silence converse(struct wcm_resolver *resolver, size_t size,
				 uint64_t deadline)
{
	enum wcm_silence silence;
	int fd = resolver->process.fd;

	if (!wcm__spawned_is_there(&resolver->process))
		return WCM_SILENCE_ENDED;
	silence = check_calm(fd);
	if (silence == WCM_SILENCE_NONE)
		silence = send_request(fd, resolver->answer, size, deadline);
	if (silence == WCM_SILENCE_NONE)
		silence = receive_answer(resolver, deadline);
	if (silence == WCM_SILENCE_NONE)
		silence = digest(resolver);
	wcm__resolver_again(resolver);
	return silence;
}

enum wcm_silence wcm__resolver_ask(struct wcm_resolver *resolver,
				   uintptr_t site, uint64_t deadline)
{
	size_t size = wcm__request_make(resolver->answer, site);
	enum wcm_silence silence;

	resolver->complaint = NULL;
	resolver->size = 0;
	resolver->at = 0;
	if (size == 0)
		return WCM_SILENCE_NONE;
	silence = converse(resolver, size, deadline);
	/* Whatever has gone wrong, the next answer could be this one's: there is no way back but
	 * a new resolver.  No part of an answer that was refused is shown. */
	if (silence != WCM_SILENCE_NONE) {
		wcm__spawned_end(&resolver->process, true);
		resolver->complaint = NULL;
		resolver->size = 0;
	}
	return silence;
}

/* Never beyond the answer: digest() has put a zero behind each string. */
static const char *next_string(struct wcm_resolver *resolver)
{
	const char *string = resolver->answer + resolver->at;

	resolver->at += strlen(string) + 1;
	return string;
}

/* WCM_PROTOCOL_UNKNOWN stands for a name that is not known, as of addr2line. */
static const char *known(const char *name)
{
	return memcmp(name, WCM_PROTOCOL_UNKNOWN, sizeof(WCM_PROTOCOL_UNKNOWN)) == 0 ?
		       NULL : name;
}

/* The complaint is the first string, where there is one. */
void wcm__resolver_again(struct wcm_resolver *resolver)
{
	resolver->at = 0;
	if (resolver->complaint)
		resolver->at = strlen(resolver->answer) + 1;
}

/* What digest() has made: three strings for each function, the numbers checked. */
bool wcm__resolver_next(struct wcm_resolver *resolver,
			struct wcm_answered *answered)
{
	while (resolver->at < resolver->size) {
		const char *numbers;

		answered->function = known(next_string(resolver));
		answered->file = known(next_string(resolver));
		numbers = next_string(resolver);
		read_number(&numbers, &answered->line);
		numbers++;
		read_number(&numbers, &answered->column);
		answered->text = *numbers ? numbers : NULL;
		answered->inlined = resolver->at < resolver->size;
		if (answered->function || answered->file)
			return true;
	}
	return false;
}

/* Its input is shut, so that a resolver that waits for a request ends, and says why it could not
 * start, if it could not.  LONGEST fits into the room of the answer. */
const char *wcm__resolver_last_words(struct wcm_resolver *resolver,
				     uint64_t deadline)
{
	enum { SECOND_NS = 1000000000, LONGEST = 300 };
	const uint64_t soon = wcm__clock_ns() + SECOND_NS;
	const int fd = resolver->process.fd;
	char *text = resolver->answer, *end = NULL;
	size_t size = 0;
	long got = 0;

	/* A resolver that still works is not waited for until the report's own deadline. */
	if (deadline > soon)
		deadline = soon;
	wcm__shutdown(fd, SHUT_WR);
	while (!end && size < LONGEST) {
		got = receive(fd, text + size, LONGEST - size, 0);
		if (got == 0 || (got < 0 && got != -EAGAIN) ||
		    (got < 0 && !wait_for(fd, POLLIN, deadline)))
			break;
		if (got < 0)
			continue;
		end = memchr(text + size, '\n', (size_t)got);
		size += (size_t)got;
	}
	size = end ? (size_t)(end - text) : size;
	text[size] = '\0';
	make_printable(text, size);
	wcm__spawned_end(&resolver->process, true);
	return size > 0 ? text : NULL;
}
