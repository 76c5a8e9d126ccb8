/* SPDX-License-Identifier: MIT */
/* test_spawn.c - another program, and what it and we see of each other. */
#include "lines/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

static struct wcm_spawn_stacks stacks;

static struct wcm_spawn_file noted(const char *path)
{
	static struct wcm_path entry;

	return wcm__spawn_file(path, &entry);
}

static int spawn_shell(struct wcm_spawned *spawned, const char *script)
{
	const char *const arguments[] = { "sh", "-c", script, NULL };
	const char *const environment[] = { "PATH=/usr/bin:/bin", "WORD=known",
					    NULL };

	const struct wcm_spawn_file shell = noted("/bin/sh");

	return wcm__spawn(spawned, &stacks, WCM_ERRORS_NOWHERE, &shell,
			  arguments, environment);
}

/* All that SCRIPT writes, after it was sent QUESTION. */
static const char *said(const char *script, const char *question)
{
	static char text[4096];
	struct wcm_spawned spawned;
	size_t used = 0;
	ssize_t got;

	CHECK_EQ(spawn_shell(&spawned, script), 0);
	CHECK(wcm__spawned_is_there(&spawned));
	if (*question)
		CHECK_EQ(send(spawned.fd, question, strlen(question),
			      MSG_NOSIGNAL),
			 strlen(question));
	while ((got = read(spawned.fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	wcm__spawned_end(&spawned, false);
	CHECK_EQ(spawned.fd, -1);
	return text;
}

TEST(it_reads_and_writes_the_socket)
{
	CHECK_STR(said("read x; echo \"got $x, $WORD\"", "this\n"),
		  "got this, known\n");
}

TEST(its_environment_is_what_it_was_given)
{
	setenv("LD_PRELOAD_OF_OURS", "1", 1);
	CHECK_STR(said("env | grep -c OURS", ""), "0\n");
}

TEST(what_keeps_it_from_starting_is_told)
{
	const char *const name[] = { "name", NULL }, *const none[] = { NULL };
	const struct wcm_spawn_file missing = noted("/nonexistent"),
				    text = noted("/etc/passwd");
	struct wcm_spawned spawned;
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	CHECK_EQ(wcm__spawn(&spawned, &stacks, WCM_ERRORS_NOWHERE, &missing,
			    name, none),
		 -ENOENT);
	CHECK_EQ(spawned.fd, -1);
	CHECK(!wcm__spawned_is_there(&spawned));
	CHECK_EQ(wcm__spawn(&spawned, &stacks, WCM_ERRORS_NOWHERE, &text,
			    name, none),
		 -EACCES);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK_EQ(after, before + 1);
	close(before);
	close(after);
}

static volatile sig_atomic_t children_told;

static void on_child(int signal)
{
	(void)signal;
	children_told++;
}

TEST(it_is_in_nobodys_wait_and_raises_no_signal)
{
	signal(SIGCHLD, on_child);
	said("exit 3", "");
	CHECK_EQ(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	CHECK_EQ(errno, ECHILD);
	CHECK_EQ(children_told, 0);
	signal(SIGCHLD, SIG_DFL);
}

TEST(a_child_of_ours_is_still_there_to_be_waited_for)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(5);
	said("exit 3", "");
	CHECK_EQ(waitpid(-1, &status, 0), child);
	CHECK_EQ(WEXITSTATUS(status), 5);
}

TEST(its_signals_are_as_in_a_new_program)
{
	sigset_t set, before;

	signal(SIGINT, SIG_IGN);
	signal(SIGRTMAX, SIG_IGN);
	signal(SIGUSR1, on_child);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &before);
	CHECK_STR(said("exec grep -E '^Sig(Blk|Ign)' /proc/self/status", ""),
		  "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	sigprocmask(SIG_SETMASK, NULL, &set);
	CHECK(sigismember(&set, SIGUSR2) && !sigismember(&set, SIGSEGV));
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGRTMAX, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

TEST(it_has_no_descriptor_of_ours)
{
	int one = open("/dev/zero", O_RDONLY), other = dup2(one, 900);

	CHECK_EQ(other, 900);
	/* 3 is what ls(1) reads. */
	CHECK_STR(said("exec ls /proc/self/fd", ""), "0\n1\n2\n3\n");
	CHECK_STR(said("exec readlink /proc/self/fd/2", ""), "/dev/null\n");
	close(one);
	close(other);
}

TEST(it_starts_where_the_standard_descriptors_are_closed)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		close(0);
		close(1);
		close(2);
		_exit(strcmp(said("read x; echo $x", "word\n"), "word\n") != 0);
	}
	waitpid(child, &status, 0);
	CHECK_EQ(status, 0);
}

static bool has_gone(int pid)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) != 0)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

TEST(one_that_is_stuck_is_killed_with_its_children)
{
	struct wcm_spawned spawned;
	char text[32];
	ssize_t got;

	CHECK_EQ(spawn_shell(&spawned, "sleep 1000 & echo $!; wait"), 0);
	got = read(spawned.fd, text, sizeof(text) - 1);
	CHECK(got > 0);
	text[got] = '\0';
	wcm__spawned_end(&spawned, true);
	CHECK(has_gone(spawned.pid));
	CHECK(has_gone(atoi(text)));
}

TEST(what_became_of_its_descriptor_is_left_alone)
{
	struct wcm_spawned spawned;
	int fd, null = open("/dev/null", O_RDONLY);

	CHECK_EQ(spawn_shell(&spawned, "read x"), 0);
	fd = spawned.fd;
	dup2(null, fd);
	CHECK(!wcm__spawned_is_there(&spawned));
	wcm__spawned_end(&spawned, true);
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	close(null);
	CHECK(has_gone(spawned.pid));
}

RUN(it_reads_and_writes_the_socket, its_environment_is_what_it_was_given,
    what_keeps_it_from_starting_is_told, it_is_in_nobodys_wait_and_raises_no_signal,
    a_child_of_ours_is_still_there_to_be_waited_for,
    its_signals_are_as_in_a_new_program, it_has_no_descriptor_of_ours,
    it_starts_where_the_standard_descriptors_are_closed,
    one_that_is_stuck_is_killed_with_its_children,
    what_became_of_its_descriptor_is_left_alone)
