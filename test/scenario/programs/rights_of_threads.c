/* SPDX-License-Identifier: MIT */
/* rights_of_threads.c - gives up root in the way of argv[1], and prints what each thread of the
 * process may: one line where all may the same. */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef LINKED
#include <whocallme.h>
#endif

enum { OTHER = 65534, KEPT = 1 << 6 | 1 << 7 }; /* CAP_SETGID, CAP_SETUID */

int capset(void *header, const void *sets);

static void keep_capabilities(unsigned which)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { .effective = which, .permitted = which } };

	if (capset(&header, sets) != 0)
		perror("capset");
}

__attribute__((noinline)) static void give_up(const char *way)
{
	const gid_t group = OTHER;

	if (strcmp(way, "daemon") == 0) {
		if (setgroups(0, NULL) || setresgid(group, group, group) ||
		    setresuid(OTHER, OTHER, OTHER))
			perror(way);
	} else if (strcmp(way, "kept") == 0) {
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		if (setresuid(OTHER, OTHER, OTHER))
			perror(way);
		keep_capabilities(KEPT);
		if (setgroups(1, &group) || setgid(group))
			perror(way);
	} else if (strcmp(way, "capabilities") == 0) {
		keep_capabilities(0);
	} else if (strcmp(way, "plain") == 0) {
		if (initgroups("nobody", group) || setgid(group) || setuid(OTHER))
			perror(way);
	} else if (setegid(group) || seteuid(OTHER) || seteuid(0) || setregid(group, group) ||
		   setreuid(OTHER, OTHER)) { /* for a while */
		perror(way);
	}
}

/* What thread TID may. */
static void describe(const char *tid, char *text, size_t size)
{
	char path[64], line[256];
	FILE *file;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Uid:", 4) || !strncmp(line, "Gid:", 4) ||
		    !strncmp(line, "Groups:", 7) || !strncmp(line, "Cap", 3)) {
			line[strcspn(line, "\n")] = ' ';
			strncat(text, line, size - strlen(text) - 1);
		}
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	char first[2048] = "", each[2048];
	struct dirent *entry;
	DIR *tasks;

#ifdef LINKED
	wcm_agent_start();
	wcm_watchdog_start(1000000);
#endif
	give_up(argc > 1 ? argv[1] : "daemon");
	tasks = opendir("/proc/self/task");
	while (tasks && (entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		describe(entry->d_name, each, sizeof(each));
		if (strcmp(first, each) != 0)
			puts(strcpy(first, each));
	}
	return 0;
}
