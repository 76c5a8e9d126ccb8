/* SPDX-License-Identifier: MIT */
/* test_hand_over.c - the process that lists prototypes, and the list that a program has open.
 *
 * What is listed of a module the test makes: the globs are a word for it.
 */
#include "prototypes/hand_over.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "format/sled_code.h"
#include "launch/hooks.h"
#include "launch/launch.h"
#include "support/check.h"

#define VARIABLE "WHOCALLME_PROTOTYPES"
#define HERE "/proc/self/exe"

enum { ROOM = 1 << 20 };

static char text[ROOM];
static unsigned complaints;

static void list_world(FILE *list)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct rlimit seconds, core, memory;

	getrlimit(RLIMIT_CPU, &seconds);
	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_DATA, &memory);
	fprintf(list, "%ju %ju %ju %ju %ju %s\n", (uintmax_t)seconds.rlim_cur,
		(uintmax_t)seconds.rlim_max, (uintmax_t)core.rlim_cur, (uintmax_t)core.rlim_max,
		(uintmax_t)memory.rlim_cur, urls ? urls : "none");
}

/* What the file uses of the command. */
bool wcm__sled_code_tells_values(void)
{
	return true;
}

struct enums *enums_new(FILE *list)
{
	return (struct enums *)(void *)list;
}

bool elf_file_open(struct elf_file *file, const char *path)
{
	(void)file, (void)path;
	return false;
}

void wanted_names_read(struct wanted_names *wanted, const struct elf_file *program)
{
	(void)wanted, (void)program;
}

void hooks_visit_libraries(const char *path, void (*tell)(const char *path, void *data), void *data)
{
	(void)path;
	tell("/a/library", data);
}

void launch_set(const char *name, const char *value)
{
	CHECK_EQ(setenv(name, value, 1), 0);
}

void complain(const char *format, ...)
{
	(void)format;
	complaints++;
}

void prototypes_list(FILE *list, struct enums *enums, const char *path, const char *globs,
		     const struct wanted_names *wanted)
{
	(void)enums, (void)wanted;
	if (strcmp(globs, "world") == 0)
		list_world(list);
	else if (strcmp(globs, "paths") == 0)
		fprintf(list, "%s\n", path);
	else if (strcmp(globs, "fails") == 0)
		_exit(3);
	else if (strcmp(globs, "dies") == 0)
		raise(SIGKILL);
}

static void begin(void)
{
	unsetenv(VARIABLE);
	unsetenv("WHOCALLME_TRACE_LIBRARY_CALLS");
	complaints = 0;
}

/* What is read from FD; it is closed. */
static const char *read_all(int fd)
{
	size_t size = 0;
	ssize_t got;

	while ((got = pread(fd, text + size, ROOM - 1 - size, (off_t)size)) > 0)
		size += (size_t)got;
	text[size] = '\0';
	close(fd);
	return text;
}

/* The descriptor that the program would read its list from; -1: there is none. */
static int handed_over(const char *globs)
{
	const char *value;
	int fd;

	prototypes_hand_over(HERE, globs);
	value = getenv(VARIABLE);
	return value && sscanf(value, "/proc/self/fd/%d", &fd) == 1 ? fd : -1;
}

static rlim_t half_of_memory(void)
{
	return (rlim_t)sysconf(_SC_PHYS_PAGES) / 2 * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Have no more memory for data than WANTED; returns what the process that lists has. */
static uintmax_t data_of(rlim_t wanted)
{
	uintmax_t seconds[2], core[2], memory;
	struct rlimit was, less;
	char urls[64];

	CHECK_EQ(getrlimit(RLIMIT_DATA, &was), 0);
	less = (struct rlimit){ wanted, was.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_DATA, &less), 0);
	CHECK_EQ(getrlimit(RLIMIT_DATA, &less), 0);
	if (less.rlim_cur != wanted)
		SKIP("memory is not limited here");
	CHECK_EQ(sscanf(read_all(handed_over("world")), "%ju %ju %ju %ju %ju %63s", &seconds[0],
			&seconds[1], &core[0], &core[1], &memory, urls), 6);
	CHECK_EQ(setrlimit(RLIMIT_DATA, &was), 0);
	CHECK_EQ(seconds[0], 20);
	CHECK_EQ(seconds[1], 20);
	CHECK_EQ(core[0], 0);
	CHECK_EQ(core[1], 0);
	CHECK_STR(urls, "none");
	return memory;
}

TEST(damaged_data_may_take_so_much_and_no_more)
{
	const rlim_t most = half_of_memory();
	struct rlimit before, after;

	begin();
	if (HAVE_ASAN)
		SKIP("the sanitizer has a memory of its own");
	CHECK_EQ(getrlimit(RLIMIT_CPU, &before), 0);
	CHECK_EQ(data_of(RLIM_INFINITY), most);
	CHECK_EQ(data_of(most + 1), most);
	CHECK_EQ(data_of(most), most);
	CHECK_EQ(data_of(most - 1), most - 1);
	/* The program itself has what it had. */
	CHECK_EQ(getrlimit(RLIMIT_CPU, &after), 0);
	CHECK_EQ(after.rlim_cur, before.rlim_cur);
}

TEST(no_server_is_asked_and_the_program_has_its_servers)
{
	begin();
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	CHECK(strstr(read_all(handed_over("world")), " none\n") != NULL);
	CHECK(strstr(text, "http") == NULL);
	CHECK_STR(getenv("DEBUGINFOD_URLS"), "http://127.0.0.1:1");
	unsetenv("DEBUGINFOD_URLS");
}

TEST(nobody_can_change_the_list)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	int fd;

	begin();
	fd = handed_over("world");
	CHECK(fd >= 1000);
	CHECK_EQ(fcntl(fd, F_GETFD), 0);
	CHECK_EQ(fcntl(fd, F_GET_SEALS), seals);
	CHECK(write(fd, "x", 1) < 0 && errno == EPERM);
	CHECK(ftruncate(fd, 0) < 0 && errno == EPERM);
	close(fd);
}

/* How many descriptors are open below 1,100. */
static unsigned open_now(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1100; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

TEST(a_list_that_was_not_made_whole_is_none)
{
	unsigned before;

	begin();
	before = open_now();
	CHECK_EQ(handed_over("fails"), -1);
	CHECK_EQ(complaints, 1);
	CHECK_EQ(handed_over("dies"), -1);
	CHECK_EQ(complaints, 2);
	CHECK_EQ(handed_over("nothing"), -1);
	CHECK_EQ(complaints, 2);
	CHECK(getenv(VARIABLE) == NULL);
	CHECK_EQ(open_now(), before);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

TEST(a_list_of_somebody_elses_is_taken)
{
	begin();
	setenv(VARIABLE, "/a/list", 1);
	prototypes_hand_over(HERE, "world");
	CHECK_STR(getenv(VARIABLE), "/a/list");
	/* An older one of this command's is not, nor is none. */
	setenv(VARIABLE, "/proc/self/fd/7", 1);
	CHECK(close(handed_over("world")) == 0);
	CHECK(strcmp(getenv(VARIABLE), "/proc/self/fd/7") != 0);
	setenv(VARIABLE, "", 1);
	CHECK(close(handed_over("world")) == 0);
	setenv(VARIABLE, "/proc/self/fd/7", 1);
	CHECK_EQ(handed_over("nothing"), -1);
	CHECK(getenv(VARIABLE) == NULL);
}

TEST(with_few_descriptors_it_is_one_of_those)
{
	struct rlimit was, few = { 100, 100 };
	int fd;

	begin();
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &was), 0);
	few.rlim_max = was.rlim_max;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	fd = handed_over("world");
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &was), 0);
	CHECK(fd >= 0 && fd < 100);
	CHECK_EQ(fcntl(fd, F_GETFD), 0);
	CHECK(*read_all(fd) != '\0');
}

/* Lines that are PATH. */
static unsigned lines_of(const char *path)
{
	unsigned count = 0;
	char *left = text;

	for (const char *line; (line = strsep(&left, "\n"));)
		count += strcmp(line, path) == 0;
	return count;
}

TEST(a_process_has_the_files_that_it_has_mapped)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int here = open(HERE, O_RDONLY | O_CLOEXEC);
	char path[PATH_MAX], *pages;
	int fd;

	begin();
	if (HAVE_ASAN)
		SKIP("the sanitizer has a memory of its own");
	CHECK(realpath(HERE, path) != NULL);
	/* One more mapping of it, in three pieces, of which two are code. */
	pages = mmap(NULL, 3 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, here, 0);
	CHECK(pages != MAP_FAILED);
	close(here);
	CHECK_EQ(mprotect(pages + page, page, PROT_READ), 0);
	fd = prototypes_of_process(getpid(), "paths");
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	read_all(fd);
	CHECK(strstr(text, "[") == NULL && strstr(text, "/libc") != NULL);
	CHECK_EQ(lines_of(path), 2);
	CHECK_EQ(munmap(pages, 3 * page), 0);
	CHECK_EQ(prototypes_of_process(INT_MAX, "paths"), -1);
	CHECK_EQ(prototypes_of_process(-1, "paths"), -1);
}

RUN(damaged_data_may_take_so_much_and_no_more, no_server_is_asked_and_the_program_has_its_servers,
    nobody_can_change_the_list, a_list_that_was_not_made_whole_is_none,
    a_list_of_somebody_elses_is_taken, with_few_descriptors_it_is_one_of_those,
    a_process_has_the_files_that_it_has_mapped)
