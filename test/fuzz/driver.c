/* SPDX-License-Identifier: MIT */
/* driver.c - gives a fuzzer random data, for where there is no libFuzzer.
 *
 *	FUZZER [FIRST [COUNT]]
 *
 * Run number N has the same data each time, so that a finding is had again by
 * "FUZZER N 1".  The environment says how much: FUZZ_RUNS, FUZZ_SECONDS (either may end
 * it), and FUZZ_TABLE, a file to which a line for people is added.
 *
 * A child does the work; where it dies or takes too long, that is a finding, and
 * another one goes on behind it.
 */
#include "fuzzer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DATA = 4096, MOST_FINDINGS = 20, PATIENCE = 20 /* seconds */,
       FEWEST_RUNS = 300 /* whatever time they take */ };

/* How far the child is. */
struct progress {
	volatile uint64_t run;
	volatile bool done, stop; /* stop: it is told to end */
};

static struct progress *progress;
static uint64_t first = 1, runs;
static time_t begun, seconds;
static unsigned findings;

/* What sanitizers are to do; a larger allocation than this fails.  What memory is not
 * freed shows when the child ends. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1024:"
	       "detect_leaks=1:malloc_context_size=6:quarantine_size_mb=2";
}

/* What a fuzzer does before its first run, if anything. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static uint64_t next_random(uint64_t *state)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15u;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

static void run_one(uint64_t run)
{
	static uint8_t data[MOST_DATA];
	uint64_t state = run * 0x2545f4914f6cdd1du, word = 0;
	size_t size = (size_t)1 << (4 + next_random(&state) % 9);

	size -= next_random(&state) % (size / 2);
	for (size_t i = 0; i < size; i++) {
		if (i % sizeof(word) == 0)
			word = next_random(&state);
		data[i] = (uint8_t)(word >> i % sizeof(word) * 8);
	}
	LLVMFuzzerTestOneInput(data, size);
}

static bool is_over(uint64_t run)
{
	return progress->stop || (runs && run - first >= runs) ||
	       (seconds && run - first >= FEWEST_RUNS && time(NULL) - begun >= seconds);
}

_Noreturn static void work(uint64_t run)
{
	for (; !is_over(run); run++) {
		progress->run = run;
		run_one(run);
	}
	progress->run = run;
	progress->done = true;
	exit(0); /* and tell of memory that was not freed */
}

/* The end of what the child said, as TAP has it. */
static void show(FILE *said)
{
	enum { MOST_BYTES = 4000 };
	char line[512];

	if (fseek(said, -MOST_BYTES, SEEK_END) != 0)
		rewind(said);
	while (fgets(line, sizeof(line), said))
		printf("# %s", line);
}

static void stop(int signal)
{
	(void)signal;
	progress->stop = true;
}

/* In a long run, say now and then how far it is. */
static void tell(void)
{
	enum { BETWEEN = 60 };
	static time_t told;

	if (time(NULL) - begun < BETWEEN || time(NULL) - told < BETWEEN)
		return;
	told = time(NULL);
	printf("# %s: run %" PRIu64 ", %ld seconds, %u findings\n", fuzz_name,
	       progress->run, (long)(told - begun), findings);
	fflush(stdout);
}

/* Wait for CHILD; its status, or that of SIGKILL where it is stuck in one run. */
static int wait_for(pid_t child)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	uint64_t seen = progress->run;
	time_t since = time(NULL);
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (progress->run != seen || progress->done) {
			seen = progress->run;
			since = time(NULL);
		} else if (time(NULL) - since > PATIENCE) {
			kill(child, SIGKILL);
		}
		tell();
		nanosleep(&nap, NULL);
	}
	return status;
}

/* Do the runs from RUN on in a child.  The one to go on with. */
static uint64_t work_in_child(uint64_t run)
{
	FILE *said = tmpfile();
	pid_t child;
	int status;

	progress->run = run;
	fflush(stdout);
	child = said ? fork() : -1;
	if (child < 0) {
		perror("fork");
		exit(99);
	}
	if (child == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		dup2(fileno(said), STDERR_FILENO);
		work(run);
	}
	status = wait_for(child);
	if (status != 0) {
		printf("# run %" PRIu64 "%s: %s %d\n", progress->run,
		       progress->done ? " (the last)" : "",
		       WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		show(said);
		findings++;
	}
	fclose(said);
	return progress->done ? progress->run : progress->run + 1;
}

static void add_to_table(uint64_t done, long taken)
{
	const char *path = getenv("FUZZ_TABLE");
	FILE *table = path ? fopen(path, "a") : NULL;

	if (!table)
		return;
	fprintf(table, "%-12s %12" PRIu64 " %8ld %8u\n", fuzz_name, done, taken, findings);
	fclose(table);
}

static uint64_t number(const char *text, uint64_t otherwise)
{
	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char *argv[])
{
	enum { SMOKE_RUNS = 20000, SMOKE_SECONDS = 2 };
	const char *runs_asked = getenv("FUZZ_RUNS"), *time_asked = getenv("FUZZ_SECONDS");
	uint64_t run;

	first = number(argc > 1 ? argv[1] : NULL, 1);
	runs = number(argc > 2 ? argv[2] : runs_asked,
		      argc > 1 || time_asked ? 0 : SMOKE_RUNS);
	seconds = (time_t)number(time_asked, argc > 1 || runs_asked ? 0 : SMOKE_SECONDS);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 99;
	fuzz_dir();
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	begun = time(NULL);
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	for (run = first; !is_over(run) && findings < MOST_FINDINGS;)
		run = work_in_child(run);
	printf("# %s: %" PRIu64 " runs, %ld seconds, %u findings\n", fuzz_name,
	       run - first, (long)(time(NULL) - begun), findings);
	add_to_table(run - first, (long)(time(NULL) - begun));
	printf("%sok 1 - %s\n1..1\n", findings ? "not " : "", fuzz_name);
	return findings != 0;
}
