/* SPDX-License-Identifier: MIT */
/* traced.c - what does a way of tracing add to a call?
 *
 *	traced MILLIONS DIRECTORY HOOKS PROGRAM -- COMMAND...
 *
 * COMMAND MILLIONS is calls.c, traced, its output in DIRECTORY, which is emptied.
 * PROGRAM is calls.c, too, and what it takes is subtracted: without hooks, or with
 * those of the library HOOKS, "-" being none.  Both are run in turn.
 */
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

enum { MOST_WORDS = 32 };

struct cost {
	double call_ns; /* as the program says itself */
	double cpu_ns;  /* of all processes, from start to end */
	double rss;     /* of the largest of them */
};

static double disk; /* bytes of the files */

static double ns_of(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static pid_t start(char *const words[], int out)
{
	pid_t pid = fork();

	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		execvp(words[0], words);
		_exit(77);
	}
	return pid;
}

static void run(char *const words[], struct cost *cost)
{
	char text[256] = "";
	struct rusage used;
	int ends[2], status;
	size_t size = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		give_up("no pipe");
	pid = start(words, ends[1]);
	close(ends[1]);
	while ((got = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	close(ends[0]);
	if (wait4(pid, &status, 0, &used) != pid)
		give_up("no child");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		exit(77);
	if (status != 0 || sscanf(text, "call_ns %lf", &cost->call_ns) != 1)
		give_up("the traced program failed");
	cost->cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
	cost->rss = (double)used.ru_maxrss * 1024;
}

static int remove_file(const char *path, const struct stat *status, int type,
		       struct FTW *where)
{
	if (type == FTW_F)
		disk += (double)status->st_size;
	return where->level == 0 ? 0 : remove(path);
}

static void empty(const char *directory)
{
	disk = 0;
	if (nftw(directory, remove_file, 8, FTW_DEPTH | FTW_PHYS) != 0)
		give_up("the output cannot be removed");
}

int main(int argc, char *argv[])
{
	char preload[4096], env[] = "env";
	char *plain[] = { env, preload, NULL, NULL, NULL };
	char *words[MOST_WORDS] = { NULL };
	struct cost without = { 0 }, with = { 0 };
	double calls;

	if (argc < 7 || argc - 5 > MOST_WORDS)
		give_up("MILLIONS DIRECTORY HOOKS PROGRAM -- COMMAND...");
	calls = atof(argv[1]) * 1e6;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s",
		 strcmp(argv[3], "-") == 0 ? "" : argv[3]);
	plain[2] = argv[4];
	plain[3] = argv[1];
	memcpy(words, argv + 6, (size_t)(argc - 6) * sizeof(*words));
	words[argc - 6] = argv[1];
	run(plain, &without);
	run(words, &with);
	empty(argv[2]);
	emit("call_ns", with.call_ns - without.call_ns);
	emit("cpu_ns", (with.cpu_ns - without.cpu_ns) / calls);
	emit("rss", with.rss - without.rss);
	emit("disk", disk / calls);
	return 0;
}
