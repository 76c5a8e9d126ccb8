/* SPDX-License-Identifier: MIT */
/* test_resolver_protocol.c - wcm__resolver_ask() with a resolver that says what it is told to. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "lines/print.h"
#include "lines/resolver_protocol.h"
#include "support/check.h"

static struct wcm_resolver resolver;
static int asked; /* where the resolver writes what it was asked */
static int resolver_pid;

/* What a resolver does when it is asked. */
struct answer {
	const char *text;
	size_t size;
	enum { GOES_ON, HANGS, LEAVES } then;
};
#define SAYS(text) { text, sizeof(text) - 1, GOES_ON }
#define SAYS_AND(text, then) { text, sizeof(text) - 1, then }

static void read_request(int fd, int log)
{
	char byte;

	do
		if (read(fd, &byte, 1) != 1 || write(log, &byte, 1) != 1)
			_exit(0);
	while (byte != '\n');
}

static void say(int fd, const struct answer *answer, size_t piece)
{
	for (size_t done = 0; done < answer->size;) {
		size_t left = answer->size - done;
		ssize_t written = write(fd, answer->text + done,
					left < piece ? left : piece);

		if (written < 0)
			_exit(0);
		done += (size_t)written;
	}
}

static void help(int fd, int log, const struct answer *answer, size_t piece)
{
	do {
		read_request(fd, log);
		say(fd, answer, piece);
	} while (answer++->then == GOES_ON);
	while (answer[-1].then == HANGS)
		pause();
	_exit(0);
}

static void identify(void)
{
	struct stat status;

	CHECK_EQ(fstat(resolver.process.fd, &status), 0);
	resolver.process.device = (dev_t)major(status.st_dev) << 32 |
				 minor(status.st_dev);
	resolver.process.inode = status.st_ino;
}

static void start_in_pieces(const struct answer *answers, size_t piece)
{
	int ends[2], log[2];

	memset(&resolver, 0x5a, sizeof(resolver));
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	CHECK_EQ(pipe(log), 0);
	resolver_pid = fork();
	if (resolver_pid == 0) {
		close(ends[0]);
		close(log[0]);
		help(ends[1], log[1], answers, piece);
	}
	CHECK(resolver_pid > 0);
	close(ends[1]);
	close(log[1]);
	asked = log[0];
	resolver.process.fd = ends[0];
	resolver.process.pid = resolver_pid;
	identify();
}

static void start(const struct answer *answers)
{
	start_in_pieces(answers, SIZE_MAX);
}

static void finish(void)
{
	wcm__spawned_end(&resolver.process, true);
	CHECK_EQ(resolver.process.fd, -1);
	CHECK_EQ(waitpid(resolver_pid, NULL, 0), resolver_pid);
	close(asked);
}

static enum wcm_silence ask_by(uint64_t milliseconds)
{
	return wcm__resolver_ask(&resolver, (uintptr_t)start,
				 wcm__clock_ns() + milliseconds * 1000000);
}

static enum wcm_silence ask(void)
{
	return ask_by(10000);
}

static void check_next(const char *function, const char *file, unsigned line,
		       unsigned column, bool inlined, const char *text)
{
	struct wcm_answered answered;

	CHECK(wcm__resolver_next(&resolver, &answered));
	CHECK_STR(answered.function ? answered.function : "-",
		  function ? function : "-");
	CHECK_STR(answered.file ? answered.file : "-", file ? file : "-");
	CHECK_EQ(answered.line, line);
	CHECK_EQ(answered.column, column);
	CHECK_EQ(answered.inlined, inlined);
	CHECK_STR(answered.text ? answered.text : "-", text ? text : "-");
}

static void check_end(void)
{
	struct wcm_answered answered;

	CHECK(!wcm__resolver_next(&resolver, &answered));
}

/* The build-id's digits are those that readelf shows: test/scenario. */
TEST(asks_by_path_and_the_files_own_address)
{
	const struct answer answers[] = { SAYS("\n") };
	char got[8192], expected[8192], path[4096];
	struct link_map *map;
	Dl_info info;
	ssize_t size;

	start(answers);
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK(dladdr1((void *)(uintptr_t)start, &info, (void **)&map,
		      RTLD_DL_LINKMAP) != 0);
	size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	CHECK(size > 0);
	path[size] = '\0';
	snprintf(expected, sizeof(expected), ":%s+0x%lx\n", path,
		 (unsigned long)((uintptr_t)start - map->l_addr));
	size = read(asked, got, sizeof(got) - 1);
	CHECK(size > 0);
	got[size] = '\0';
	CHECK_EQ(strspn(got, "0123456789abcdef"), (size_t)40);
	CHECK_STR(got + 40, expected);
	check_end();
	finish();
}

TEST(does_not_ask_about_code_of_no_file)
{
	const struct answer answers[] = { SAYS("f\nf.c:1:1\n\n") };
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pollfd poll_asked;

	start(answers);
	CHECK_EQ(wcm__resolver_ask(&resolver, (uintptr_t)code, 0),
		 WCM_SILENCE_NONE);
	check_end();
	CHECK_EQ(wcm__resolver_ask(&resolver, vdso + 64, 0), WCM_SILENCE_NONE);
	check_end();
	poll_asked = (struct pollfd){ .fd = asked, .events = POLLIN };
	CHECK_EQ(poll(&poll_asked, 1, 0), 0);
	munmap(code, 4096);
	finish();
}

static const struct answer two_functions[] = {
	SAYS("outer(int) const\n/tmp/a:b c/x.h:12:2\n\t 12  x\n\t>13  \ty\n"
	     "main\nprog.c:19:0\n\n"),
	SAYS("! the debug file is of another build\n??\n??:0:0\n\n"),
	SAYS("??\nx.c:4:0\n??\n??:0:0\nouter\n??:0:0\n\n"),
};

static void check_two_functions(void)
{
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK(!resolver.complaint);
	for (unsigned i = 0; i < 2; i++) {
		wcm__resolver_again(&resolver);
		check_next("outer(int) const", "/tmp/a:b c/x.h", 12, 2, true,
			   "\t 12  x\n\t>13  \ty\n");
		check_next("main", "prog.c", 19, 0, false, NULL);
		check_end();
	}
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK_STR(resolver.complaint, "the debug file is of another build");
	check_end();
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK(!resolver.complaint);
	check_next(NULL, "x.c", 4, 0, true, NULL);
	check_next("outer", NULL, 0, 0, false, NULL);
	check_end();
	finish();
}

TEST(reads_chains_complaints_and_what_is_unknown)
{
	start(two_functions);
	check_two_functions();
}

TEST(reads_answers_that_come_byte_by_byte)
{
	start_in_pieces(two_functions, 1);
	check_two_functions();
}

TEST(takes_control_bytes_for_question_marks)
{
	const struct answer answers[] = {
		SAYS("a\033[31m\\x1b\xc2\x9b\xff\nx\0y.c:1:1\n\t\033c\n\n"),
	};

	start(answers);
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	check_next("a?[31m\\x1b???", "x?y.c", 1, 1, false, "\t?c\n");
	finish();
}

TEST(what_is_no_answer_is_noise)
{
	static const struct answer noise[] = {
		SAYS("f\n\n"),
		SAYS("f\nf.c\n\n"),
		SAYS("f\nf.c:1\n\n"),
		SAYS("f\n:1:1\n\n"),
		SAYS("f\nf.c:1:\n\n"),
		SAYS("f\nf.c:1:x\n\n"),
		SAYS("f\nf.c:-1:1\n\n"),
		SAYS("f\nf.c:4294967296:1\n\n"),
		SAYS("f\nf.c:1:1\ng\n\n"),
		SAYS("\t 12  x\n\n"),
		SAYS("! wrong\n\tf\n\n"),
		SAYS("f\nf.c:1:1\n\nmore"),
		SAYS("\nf\nf.c:1:1\n\n"),
		SAYS("\0\0\0\n\n"),
	};

	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		const struct answer answers[] = { noise[i], SAYS_AND("", HANGS) };

		start(answers);
		CHECK_EQ(ask(), WCM_SILENCE_NOISE);
		check_end();
		CHECK(!resolver.complaint);
		CHECK_EQ(ask(), WCM_SILENCE_ENDED);
		finish();
	}
}

/* An answer of SIZE bytes, all of them but a few in a name. */
static struct answer long_answer(size_t size)
{
	static const char end[] = "\nf.c:1:1\n\n";
	char *text = malloc(size);

	CHECK(text);
	memset(text, 'f', size);
	memcpy(text + size - strlen(end), end, strlen(end));
	return (struct answer){ text, size, GOES_ON };
}

TEST(what_does_not_fit_is_noise)
{
	const struct answer answers[] = {
		long_answer(WCM_ANSWER_SIZE - 1), long_answer(WCM_ANSWER_SIZE),
		SAYS_AND("", HANGS),
	};
	struct wcm_answered answered;

	start(answers);
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK(wcm__resolver_next(&resolver, &answered));
	CHECK_EQ(strlen(answered.function), (size_t)WCM_ANSWER_SIZE - 1 - 10);
	CHECK_EQ(ask(), WCM_SILENCE_NOISE);
	finish();
	free((char *)answers[0].text);
	free((char *)answers[1].text);
}

TEST(does_not_wait_longer_than_it_may)
{
	const struct answer answers[] = { SAYS_AND("", HANGS) };
	const uint64_t before = wcm__clock_ns();

	start(answers);
	CHECK_EQ(ask_by(50), WCM_SILENCE_LATE);
	CHECK(wcm__clock_ns() - before >= 50000000);
	CHECK(wcm__clock_ns() - before < 5000000000);
	check_end();
	CHECK_EQ(ask(), WCM_SILENCE_ENDED);
	finish();
}

/* ppoll(2) fails then. */
static void allow_no_files(void)
{
	const struct rlimit none = { 0, 0 };

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
}

TEST(where_it_cannot_wait_it_looks_again)
{
	const struct answer answers[] = {
		SAYS("f\nf.c:1:1\n\n"), SAYS_AND("g\n", HANGS),
	};
	int status;
	pid_t child;

	if (getenv("UNDER_VALGRIND"))
		SKIP("valgrind keeps the limit of files to itself");
	start_in_pieces(answers, 1);
	child = fork();
	if (child == 0) {
		allow_no_files();
		alarm(20);
		_exit(ask() != WCM_SILENCE_NONE ||
		      ask_by(50) != WCM_SILENCE_LATE);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	finish();
}

TEST(half_an_answer_is_none)
{
	const struct answer hangs = SAYS_AND("f\nf.c:1:1\n", HANGS);
	const struct answer leaves = SAYS_AND("f\nf.c:1:1\n", LEAVES);

	start(&hangs);
	CHECK_EQ(ask_by(50), WCM_SILENCE_LATE);
	check_end();
	finish();
	start_in_pieces(&leaves, 3);
	CHECK_EQ(ask(), WCM_SILENCE_ENDED);
	check_end();
	finish();
}

TEST(no_signal_comes_of_a_helper_that_left)
{
	const struct answer answers[] = { SAYS_AND("", LEAVES) };
	siginfo_t info;

	start(answers);
	CHECK_EQ(send(resolver.process.fd, "x\n", 2, 0), (ssize_t)2);
	CHECK_EQ(waitid(P_PID, (id_t)resolver_pid, &info, WEXITED | WNOWAIT), 0);
	CHECK_EQ(ask(), WCM_SILENCE_ENDED);
	finish();
}

TEST(leftovers_are_never_the_next_answer)
{
	const struct answer answers[] = {
		SAYS("f\nf.c:1:1\n\n"), SAYS_AND("g\ng.c:2:2\n\n", HANGS),
	};

	start(answers);
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK_EQ(send(resolver.process.fd, "x\n", 2, 0), (ssize_t)2);
	CHECK_EQ(recv(resolver.process.fd, (char[1]){ 0 }, 1, MSG_PEEK),
		 (ssize_t)1);
	CHECK_EQ(ask(), WCM_SILENCE_NOISE);
	check_end();
	finish();
}

TEST(leaves_alone_what_took_the_descriptors_number)
{
	const struct answer answers[] = { SAYS("f\nf.c:1:1\n\n") };
	int ends[2], number;

	start(answers);
	number = resolver.process.fd;
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(dup2(ends[1], number), number);
	CHECK_EQ(ask(), WCM_SILENCE_ENDED);
	CHECK(fcntl(number, F_GETFD) >= 0);
	close(ends[1]);
	close(number);
	CHECK_EQ(read(ends[0], (char[1]){ 0 }, 1), (ssize_t)0);
	close(ends[0]);
	finish();
}

TEST(prints_what_is_known)
{
	static const char expected[] =
		"   (the debug file is of another build)\n"
		"   outer at /a/x.h:12:2 (inlined)\n\t>12  x\n"
		"   ?? at x.c:4 (inlined)\n   f at y.c (inlined)\n   main\n";
	const struct answer answers[] = {
		SAYS("! the debug file is of another build\nouter\n/a/x.h:12:2\n"
		     "\t>12  x\n??\nx.c:4:0\nf\ny.c:0:0\nmain\n??:0:0\n\n"),
	};
	char got[4096];
	int ends[2];
	ssize_t size;

	start(answers);
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(ask(), WCM_SILENCE_NONE);
	CHECK(wcm__print_answer(ends[1], &resolver, false, true));
	size = read(ends[0], got, sizeof(got) - 1);
	CHECK(size > 0);
	got[size] = '\0';
	CHECK_STR(got, expected);
	wcm__resolver_again(&resolver);
	CHECK(!wcm__print_answer(-1, &resolver, false, true));
	close(ends[0]);
	close(ends[1]);
	finish();
}

/* Whatever a resolver says, the answer is read within its bounds. */
TEST(survives_any_answer)
{
	static const char alphabet[] = "\n\n\n:::\t\t!  f?0129\\x\0\377";
	enum { ROUNDS = 300, MOST = 64 };
	struct wcm_answered answered;

	srand(5);
	for (int i = 0; i < ROUNDS; i++) {
		char text[MOST + 2];
		const size_t size = (size_t)rand() % MOST;
		const struct answer answer = { text, size + 2, HANGS };

		for (size_t at = 0; at < size; at++)
			text[at] = alphabet[(size_t)rand() % sizeof(alphabet)];
		memcpy(text + size, "\n\n", 2);
		start(&answer);
		if (ask() == WCM_SILENCE_NONE)
			while (wcm__resolver_next(&resolver, &answered))
				CHECK(!answered.file || *answered.file);
		finish();
	}
}

RUN(asks_by_path_and_the_files_own_address, does_not_ask_about_code_of_no_file,
    reads_chains_complaints_and_what_is_unknown,
    reads_answers_that_come_byte_by_byte, takes_control_bytes_for_question_marks,
    what_is_no_answer_is_noise, what_does_not_fit_is_noise,
    does_not_wait_longer_than_it_may, where_it_cannot_wait_it_looks_again,
    half_an_answer_is_none,
    no_signal_comes_of_a_helper_that_left, leftovers_are_never_the_next_answer,
    leaves_alone_what_took_the_descriptors_number, prints_what_is_known,
    survives_any_answer)
