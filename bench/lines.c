/* SPDX-License-Identifier: MIT */
/* lines.c - what do source lines cost?
 *
 *	lines rate LIST COMMAND [ARGUMENT...]
 *			a process that answers the addresses of LIST on its stdin
 *	lines crash HELPER
 *			from the fault to the last line of a stack of 30 frames, in
 *			this program; HELPER is whocallme
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme.h>

#include "clock.h"

enum { DEPTH = 26 /* and main, libc's two and _start */ };

int link_0(int depth); /* of the generated units */

static unsigned lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned count = 0;
	int c;

	if (!file)
		give_up("the list of addresses cannot be read");
	while ((c = getc(file)) != EOF)
		count += c == '\n';
	fclose(file);
	return count;
}

/* Read all that comes from FD; returns how many lines it was. */
static unsigned drain(int fd)
{
	static char buffer[1 << 16];
	unsigned lines = 0;
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < got; i++)
			lines += buffer[i] == '\n';
	return lines;
}

static _Noreturn void become(char *const command[], const char *list, int out)
{
	int in = open(list, O_RDONLY);

	if (in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(command[0], command);
	_exit(127);
}

static int measure_rate(const char *list, char *const command[])
{
	const unsigned addresses = lines_of(list);
	struct rusage usage;
	double begin = clock_ns();
	int ends[2], status;
	unsigned lines;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		give_up("no pipe");
	pid = fork();
	if (pid == 0)
		become(command, list, ends[1]);
	close(ends[1]);
	lines = drain(ends[0]);
	if (wait4(pid, &status, 0, &usage) != pid)
		give_up("the process was not waited for");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 77;
	if (status != 0 || lines < 2 * addresses)
		give_up("not every address has an answer");
	emit("address_ns", (clock_ns() - begin) / addresses);
	emit("rss", 1024.0 * (double)usage.ru_maxrss);
	return 0;
}

static double *fault_at;

static _Noreturn void die(int fd, const char *helper)
{
	struct wcm_crash_options options = {
		.fd = fd,
		.sections = WCM_SECTION_STACK,
		.flags = helper ? 0 : WCM_CRASH_NO_LINES,
		.helper = helper,
	};
	const struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (init_function_table(NULL) != 0 ||
	    wcm_crash_install(&options) != WCM_OK)
		_exit(1);
	*fault_at = clock_ns();
	_exit(link_0(DEPTH));
}

/* Die, with lines if HELPER is not NULL.  Returns the time it took, and the memory
 * that the process had in *RSS. */
static double time_of_death(const char *helper, double *rss)
{
	static char text[1 << 20];
	size_t size = 0, lines = 0;
	struct rusage usage;
	double last = 0;
	int ends[2], status;
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		give_up("no pipe");
	pid = fork();
	if (pid == 0)
		die(ends[1], helper);
	close(ends[1]);
	while ((got = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0) {
		last = clock_ns();
		size += (size_t)got;
	}
	close(ends[0]);
	text[size] = '\0';
	for (const char *at = text; (at = strstr(at, ".c:")); at++)
		lines++;
	if (wait4(pid, &status, 0, &usage) != pid || !WIFSIGNALED(status) ||
	    (helper && lines < DEPTH))
		give_up("the process did not die with lines");
	*rss = 1024.0 * (double)usage.ru_maxrss;
	return last - *fault_at;
}

static int measure_crash(const char *helper)
{
	double without, with;

	fault_at = mmap(NULL, sizeof(*fault_at), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fault_at == MAP_FAILED)
		give_up("no memory");
	emit("names_ns", time_of_death(NULL, &without));
	emit("lines_ns", time_of_death(helper, &with));
	emit("rss_without", without);
	emit("rss_with", with);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "rate") == 0)
		return measure_rate(argv[2], argv + 3);
	if (argc == 3 && strcmp(argv[1], "crash") == 0)
		return measure_crash(argv[2]);
	give_up("usage: lines rate LIST COMMAND... | lines crash HELPER");
}
