/* SPDX-License-Identifier: MIT */
/* serve.c - answers a program that asks for lines, by format/lines_protocol.h.
 *
 * The other end may be a process that has crashed: an answer has an end that it can
 * hold (WCM_ANSWER_SIZE), and goes out in one piece.
 */
#include "resolve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/lines_in.h"
#include "format/lines_protocol.h"
#include "resolve/client.h"

/* Bytes.  Source text gives way first, then the outermost of a long chain. */
enum {
	MOST_WITH_SOURCE = 16384,
	MOST_ANSWER = WCM_ANSWER_SIZE - 4096,
	LONGEST_PART = 4096, /* of a name or a path, less where it is escaped */
};

#define UNKNOWN WCM_PROTOCOL_UNKNOWN "\n" WCM_PROTOCOL_UNKNOWN ":0:0\n"

static void write_location(const struct resolver *resolver, FILE *file,
			   const struct location *location)
{
	char *memory = NULL;

	escape_name(file,
		    location->function ? resolver_name(resolver, location->function, &memory)
				    : WCM_PROTOCOL_UNKNOWN,
		    LONGEST_PART);
	free(memory);
	fputc('\n', file);
	escape_name(file, location->file ? location->file : WCM_PROTOCOL_UNKNOWN, LONGEST_PART);
	fprintf(file, ":%u:%u\n", location->line, location->column);
	if (ftell(file) < MOST_WITH_SOURCE)
		print_source(file, location, resolver->around, resolver->colour);
}

static void write_answer(struct resolver *resolver, FILE *file, char *request)
{
	struct address address;
	const char *complaint;

	if (!address_parse(&address, request)) {
		fputs(UNKNOWN "\n", file);
		return;
	}
	complaint = resolver_find(resolver, &address);
	if (complaint) {
		fputs(WCM_PROTOCOL_COMPLAINT, file);
		escape_name(file, complaint, LONGEST_PART);
		fputc('\n', file);
	}
	for (size_t i = 0; i < resolver->locations.count && ftell(file) < MOST_ANSWER / 2;
	     i++)
		write_location(resolver, file, &resolver->locations.location[i]);
	if (resolver->locations.count == 0)
		fputs(UNKNOWN, file);
	fputc('\n', file);
}

static bool write_all(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = write(STDOUT_FILENO, text, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return false;
		text += count;
		size -= (size_t)count;
	}
	return true;
}

/* 0, or the errno of what kept the answer from its reader. */
static int answer(struct resolver *resolver, char *request)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int error = 0;

	if (!file)
		return ENOMEM;
	write_answer(resolver, file, request);
	if (fclose(file) != 0 || !write_all(text, size))
		error = errno;
	free(text);
	return error;
}

static int converse(struct resolver *resolver, struct lines_in *lines)
{
	char nothing[] = "";
	char *request;
	size_t length;
	int error = 0;

	for (;;) {
		switch (lines_in_next(lines, -1, &request, &length)) {
		case LINES_IN_END:
			return lines->in_line ? answer(resolver, nothing)
					      : lines->error;
		case LINES_IN_PART:
			if (lines->in_line)
				continue;
			error = answer(resolver, nothing);
			break;
		default:
			request[strcspn(request, "\n")] = '\0';
			error = answer(resolver, request);
		}
		if (error != 0)
			return error;
	}
}

/* Nobody reads the answers any more: what is being looked for, perhaps at a server
 * that does not answer, is of no use. */
static void leave(int signal)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };

	(void)signal;
	if (poll(&reader, 1, 0) == 1 && (reader.revents & (POLLERR | POLLHUP)))
		_exit(EXIT_DONE);
}

/* Have the kernel tell when the reader of a pipe or socket goes away. */
static void watch_reader(void)
{
	const struct sigaction action = { .sa_handler = leave, .sa_flags = SA_RESTART };
	struct stat status;
	int flags;

	if (fstat(STDOUT_FILENO, &status) != 0 ||
	    (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)))
		return;
	flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags < 0 || sigaction(SIGIO, &action, NULL) != 0 ||
	    fcntl(STDOUT_FILENO, F_SETOWN, getpid()) != 0 ||
	    fcntl(STDOUT_FILENO, F_SETFL, flags | O_ASYNC) != 0)
		return;
	leave(SIGIO); /* it may have gone already */
}

/* The program at the other end of a socket has its own file open, whatever has become
 * of the name. */
static void find_client(struct binaries *binaries)
{
	const long client = client_id();
	char file[64];

	if (client == 0)
		return;
	snprintf(file, sizeof(file), "/proc/%ld/exe", client);
	binaries_set_running(binaries, file);
}

/* Where the machine is out of memory, it is not the program that was well, or some other,
 * that is to die of it. */
static void stand_in_front(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "we");

	if (!file)
		return;
	fputs("1000", file);
	fclose(file);
}

int serve(struct resolver *resolver)
{
	struct lines_in lines;
	int error;

	signal(SIGPIPE, SIG_IGN);
	watch_reader();
	stand_in_front();
	find_client(resolver->binaries);
	lines_in_start(&lines, STDIN_FILENO, WCM_REQUEST_SIZE, WCM_REQUEST_SIZE);
	lines.read = client_read;
	error = converse(resolver, &lines);
	lines_in_stop(&lines);
	if (error == 0 || error == EPIPE || error == ECONNRESET)
		return EXIT_DONE;
	errno = error;
	complain_begin();
	perror("--serve");
	return EXIT_PARTLY;
}
