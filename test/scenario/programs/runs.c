/* SPDX-License-Identifier: MIT */
/* runs.c - a program that runs the one at the path in its second argument, itself, in an
 * environment made from nothing; the first says how.  OWN=1 is in that, and what follows,
 * "many" variables or "none" at all.  What is run that way says what it was given.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 5000 };

static char *made[MANY + 2] = { (char *)"OWN=1" };
static char **environment = made;
static char *const given[] = { (char *)"runs", (char *)"told", (char *)"b",
			       (char *)"", (char *)"d", NULL };

static void leaf(void)
{
}

static void told(int argc, char *argv[])
{
	int others = 0;

	leaf();
	for (char **each = environ; each && *each; each++)
		if (strncmp(*each, "WHOCALLME_", 10) != 0 &&
		    strncmp(*each, "LD_PRELOAD=", 11) != 0)
			others++;
	for (int i = 1; i < argc; i++)
		printf("[%s] ", argv[i]);
	printf("%d\n", others);
}

static void vforked(const char *path)
{
	const pid_t child = vfork();

	if (child == 0) {
		execve(path, given, environment);
		_exit(9);
	}
	waitpid(child, NULL, 0);
}

static void spawned(const char *path, const char *name)
{
	pid_t child;

	if (name)
		errno = posix_spawnp(&child, name, NULL, NULL, given, environment);
	else
		errno = posix_spawn(&child, path, NULL, NULL, given, environment);
	if (errno == 0)
		waitpid(child, NULL, 0);
}

/* By its name, if the path has one: the first place where names are looked for is
 * the path's folder. */
static const char *name_in(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return path;
	*slash = '\0';
	setenv("PATH", path, 1);
	*slash = '/';
	return slash + 1;
}

static void run(const char *how, char *path)
{
	if (strcmp(how, "execve") == 0)
		execve(path, given, environment);
	else if (strcmp(how, "execle") == 0)
		execle(path, "runs", "told", "b", "", "d", (char *)NULL, environment);
	else if (strcmp(how, "execvpe") == 0)
		execvpe(name_in(path), given, environment);
	else if (strcmp(how, "fexecve") == 0)
		fexecve(open(path, O_RDONLY), given, environment);
	else if (strcmp(how, "execveat") == 0)
		execveat(AT_FDCWD, path, given, environment, 0);
	else if (strcmp(how, "spawn") == 0)
		spawned(path, NULL);
	else if (strcmp(how, "spawnp") == 0)
		spawned(path, name_in(path));
	else if (strcmp(how, "vfork") == 0)
		vforked(path);
	environ = environment;
	if (strcmp(how, "execv") == 0)
		execv(path, given);
	else if (strcmp(how, "execl") == 0)
		execl(path, "runs", "told", "b", "", "d", (char *)NULL);
	else if (strcmp(how, "execvp") == 0)
		execvp(path, given);
	else if (strcmp(how, "execlp") == 0)
		execlp(path, "runs", "told", "b", "", "d", (char *)NULL);
}

int main(int argc, char *argv[])
{
	const char *how = argc > 1 ? argv[1] : "none";

	leaf();
	if (strcmp(how, "told") == 0) {
		told(argc, argv);
		return 0;
	}
	if (argc > 3 && strcmp(argv[3], "none") == 0)
		environment = NULL;
	else if (argc > 3 && strcmp(argv[3], "many") == 0)
		for (int i = 1; i <= MANY; i++)
			made[i] = (char *)"MANY=1";
	else if (argc > 3)
		for (int i = 3; i < argc && i < MANY; i++)
			made[i - 2] = argv[i];
	errno = 0;
	if (argc > 2)
		run(how, argv[2]);
	if (errno != 0)
		printf("%s\n", strerror(errno));
	return 0;
}
