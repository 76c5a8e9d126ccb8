/* SPDX-License-Identifier: MIT */
/* test_alloc_failure.c - the n-th allocation fails, for every n that there is.
 *
 * The allocator is interposed, so that BFD's own allocations fail as well; each
 * n has a child process to itself.  Whatever happens, the answer is a status,
 * and a second try with memory at hand succeeds.  BFD does not survive every
 * failure of its own: a crash inside it is counted and printed, one anywhere
 * else fails the test.
 */
#include <whocallme.h>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

/* A sanitizer has an allocator of its own: there, only calls from what is
 * linked statically are caught, by the linker's --wrap. */
#ifdef WRAPPED_BY_LINKER
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
#else
#define OURS(name) name
#define THEIRS(name) __libc_##name
#endif

/* Only what is visible is interposed. */
WCM_API void *OURS(malloc)(size_t size);
WCM_API void *OURS(calloc)(size_t count, size_t size);
WCM_API void *OURS(realloc)(void *block, size_t size);
void *THEIRS(malloc)(size_t size);
void *THEIRS(calloc)(size_t count, size_t size);
void *THEIRS(realloc)(void *block, size_t size);

/* How many allocations until the one that fails; 0: none does. */
static long countdown;
static bool failed;

static bool is_time_to_fail(void)
{
	if (countdown == 0 || --countdown > 0)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *OURS(malloc)(size_t size)
{
	return is_time_to_fail() ? NULL : THEIRS(malloc)(size);
}

void *OURS(calloc)(size_t count, size_t size)
{
	return is_time_to_fail() ? NULL : THEIRS(calloc)(count, size);
}

void *OURS(realloc)(void *block, size_t size)
{
	return is_time_to_fail() ? NULL : THEIRS(realloc)(block, size);
}

#ifdef WRAPPED_BY_LINKER
char *OURS(strdup)(const char *text);
char *THEIRS(strdup)(const char *text);
void *OURS(reallocarray)(void *block, size_t count, size_t size);
void *THEIRS(reallocarray)(void *block, size_t count, size_t size);

char *OURS(strdup)(const char *text)
{
	return is_time_to_fail() ? NULL : THEIRS(strdup)(text);
}

void *OURS(reallocarray)(void *block, size_t count, size_t size)
{
	return is_time_to_fail() ? NULL
				 : THEIRS(reallocarray)(block, count, size);
}
#endif

/* What a child answers. */
enum answer {
	SUCCEEDED = 40, /* it could do without */
	REFUSED,        /* a status, and a second try that succeeded */
	CRASHED_IN_BFD,
	NOTHING_FAILED, /* there is no n-th allocation */
	/* What fails the test; so does any other exit status. */
	NO_STATUS, NO_SECOND_TRY, CRASHED
};

enum { DEADLINE = 20, MOST_FRAMES = 64 };

/* The file that the code at ADDRESS comes from, or ""; libc's for the vDSO, which has the
 * frames of signals on some CPUs. */
static const char *file_of(void *address)
{
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname)
		return "";
	if ((uintptr_t)info.dli_fbase == getauxval(AT_SYSINFO_EHDR))
		return file_of((void *)strlen);
	return info.dli_fname;
}

/* Whose crash it is: the innermost caller's outside of libc and of this
 * handler, with the frames that libc puts in between. */
static void on_crash(int signal)
{
	void *frames[MOST_FRAMES];
	int count = backtrace(frames, MOST_FRAMES);
	const char *libc = file_of((void *)strlen);

	(void)signal;
	for (int i = 1; i < count; i++) {
		const char *file = file_of(frames[i]);

		/* An emulator's own trampoline is in no file. */
		if (*file && strcmp(file, libc) != 0)
			_exit(strstr(file, "libbfd") ? CRASHED_IN_BFD
						     : CRASHED);
	}
	_exit(CRASHED);
}

static void watch_for_crashes(void)
{
	void *frames[1];

	backtrace(frames, 1); /* allocates at its first call */
	signal(SIGSEGV, on_crash);
	signal(SIGBUS, on_crash);
	signal(SIGABRT, on_crash);
	alarm(DEADLINE);
}

static enum wcm_status init_table(void)
{
	return init_function_table(NULL) == 0 ? WCM_OK : wcm_status_get();
}

static enum wcm_status load_own_file(void)
{
	struct wcm_functions *functions;
	enum wcm_status status = wcm_functions_load(&functions,
						    "/proc/self/exe");

	if ((status == WCM_OK) != (functions != NULL))
		_exit(NO_STATUS);
	wcm_functions_free(functions);
	return status;
}

/* Try TRIED in this process, its Nth allocation failing. */
static int attempt(enum wcm_status (*tried)(void), long n)
{
	enum wcm_status status;

	watch_for_crashes();
	countdown = n;
	status = tried();
	countdown = 0;
	if (status > 0 || !*wcm_status_text(status))
		return NO_STATUS;
	if (!failed)
		return NOTHING_FAILED;
	if (tried() != WCM_OK && status == WCM_ENOMEM)
		return NO_SECOND_TRY;
	return status == WCM_OK ? SUCCEEDED : REFUSED;
}

static int attempt_in_child(enum wcm_status (*tried)(void), long n)
{
	pid_t child = fork();
	int status;

	CHECK(child != -1);
	if (child == 0)
		_exit(attempt(tried, n));
	CHECK_EQ(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		fail_msg("allocation %ld: killed by signal %d", n,
			 WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void fail_each(enum wcm_status (*tried)(void))
{
	long answers[CRASHED_IN_BFD + 1] = { 0 }, n = 0;

	for (;;) {
		int answer = attempt_in_child(tried, ++n);

		if (answer == NOTHING_FAILED)
			break;
		if (answer < SUCCEEDED || answer > CRASHED_IN_BFD)
			fail_msg("allocation %ld: answer %d", n, answer);
		answers[answer]++;
	}
	print_message("# %ld allocations: %ld not needed, %ld refused, "
		      "%ld crashed BFD\n",
		      n - 1, answers[SUCCEEDED], answers[REFUSED],
		      answers[CRASHED_IN_BFD]);
	CHECK(answers[REFUSED] > 0);
}

TEST(init_function_table_has_a_status_for_every_failure)
{
	fail_each(init_table);
}

TEST(functions_load_has_a_status_for_every_failure)
{
	fail_each(load_own_file);
}

RUN(init_function_table_has_a_status_for_every_failure,
    functions_load_has_a_status_for_every_failure)
