/* SPDX-License-Identifier: MIT */
/* test_read.c - reading memory that may not be there, by each of the two ways
 * the kernel offers. */
#include "core/os/read.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/modules/module_read.h"
#include "support/check.h"

enum { PAGES = 200 };

/* Three runs of pages: readable, without any access, readable again. */
static unsigned char *map_with_hole(size_t before, size_t hole)
{
	unsigned char *base = mmap(NULL, PAGES * WCM_PAGE,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(base != MAP_FAILED);
	for (size_t i = 0; i < PAGES * WCM_PAGE; i++)
		base[i] = (unsigned char)(i * 7 + i / WCM_PAGE);
	CHECK_EQ(mprotect(base + before * WCM_PAGE, hole * WCM_PAGE, PROT_NONE),
		 0);
	return base;
}

static void unmap(unsigned char *base)
{
	munmap(base, PAGES * WCM_PAGE);
}

/* Answer rather than assert, so that a child process can run them too. */

static bool reads_what_is_there(void)
{
	unsigned char buf[3 * 4096], *base = map_with_hole(3, 1);
	bool good = true;

	for (size_t size = 0; size < sizeof(buf); size += 517)
		good = good && wcm__read_memory((uintptr_t)base, buf, size) &&
		       memcmp(base, buf, size) == 0;
	unmap(base);
	return good;
}

static bool reads_up_to_the_edge_of_a_page_and_no_further(void)
{
	unsigned char buf[64], *base = map_with_hole(1, 1);
	uintptr_t edge = (uintptr_t)base + WCM_PAGE;
	bool good = true;

	for (size_t size = 1; size <= sizeof(buf); size++)
		good = good && wcm__read_memory(edge - size, buf, size) &&
		       memcmp(buf, (const void *)(edge - size), size) == 0 &&
		       !wcm__read_memory(edge - size + 1, buf, size) &&
		       !wcm__read_memory(edge + WCM_PAGE - 1, buf, size) &&
		       wcm__read_memory(edge + WCM_PAGE, buf, size);
	unmap(base);
	return good;
}

static bool refuses_what_is_not_mapped(void)
{
	unsigned char *base = map_with_hole(1, 1);
	uintptr_t word;
	bool good;

	unmap(base);
	good = !wcm__read_memory((uintptr_t)base, &word, sizeof(word)) &&
	       !wcm__read_memory(0, &word, sizeof(word)) &&
	       !wcm__read_memory(1, &word, sizeof(word)) &&
	       !wcm__read_memory(UINTPTR_MAX - 7, &word, sizeof(word)) &&
	       !wcm__read_memory(UINTPTR_MAX - 3, &word, sizeof(word)) &&
	       !wcm__read_memory((UINTPTR_MAX >> 1) - 15, &word, sizeof(word));
	return good;
}

static bool counts_readable_pages(void)
{
	/* Runs on both sides of what one system call takes. */
	static const size_t runs[] = { 1, 2, 63, 64, 65, 127, 128, 129, 190 };
	bool good = true;

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		unsigned char *base = map_with_hole(runs[i], 1);
		uintptr_t start = (uintptr_t)base;
		uintptr_t hole = start + runs[i] * WCM_PAGE;
		uintptr_t end = start + PAGES * WCM_PAGE;

		good = good &&
		       wcm__count_readable_pages(start, end) == runs[i] &&
		       wcm__count_readable_pages(start, hole) == runs[i] &&
		       wcm__count_readable_pages(hole, end) == 0 &&
		       wcm__count_readable_pages(start, start) == 0 &&
		       wcm__count_readable_pages(hole + WCM_PAGE, end) ==
			       PAGES - runs[i] - 1;
		unmap(base);
	}
	return good;
}

static bool leaves_errno_alone(void)
{
	uintptr_t word = 1;

	errno = 4711;
	wcm__read_memory((uintptr_t)&word, &word, sizeof(word));
	wcm__read_memory(0, &word, sizeof(word));
	wcm__count_readable_pages(0, WCM_PAGE);
	return errno == 4711;
}

static bool reads_a_word_of_a_stack_and_beyond(void)
{
	const uintptr_t words[] = { 11, 22, 33 };
	const struct wcm_span span = { (uintptr_t)words,
				       (uintptr_t)(words + 1) };
	volatile uintptr_t null_page = 8; /* the compiler need not know */
	uintptr_t a = 0, b = 0, c;

	return wcm__read_word(&span, (uintptr_t)&words[0], &a) && a == 11 &&
	       wcm__read_word(&span, (uintptr_t)&words[2], &b) && b == 33 &&
	       !wcm__read_word(&span, null_page, &c);
}

/* Whether the mask of blocked signals is what it was: the fallback asks a call
 * that could change it. */
static bool keeps_the_signal_mask(void)
{
	const sigset_t *everywhere = (const sigset_t *)reads_what_is_there;
	sigset_t before, after;
	uintptr_t word;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	wcm__read_memory((uintptr_t)everywhere, &word, sizeof(word));
	sigprocmask(SIG_SETMASK, NULL, &after);
	return sigismember(&after, SIGUSR1) == 1 &&
	       sigismember(&after, SIGUSR2) == 0 &&
	       sigismember(&after, SIGSEGV) == 0;
}

/* In this process and its children process_vm_readv(2) is forbidden. */
static bool forbid_process_vm_readv(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter),
				      filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { GOOD = 0, BAD = 1, NO_FILTER = 2 };

static int run_forbidden(bool (*question)(void))
{
	struct iovec none = { NULL, 0 };

	signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the next test */
	if (!forbid_process_vm_readv())
		return NO_FILTER;
	if (process_vm_readv(getpid(), &none, 1, &none, 1, 0) != -1 ||
	    errno != EPERM)
		return NO_FILTER;
	return question() ? GOOD : BAD;
}

/* Put QUESTION to a child in which process_vm_readv(2) is forbidden. */
static void check_when_forbidden(bool (*question)(void))
{
	pid_t child;
	int status;

	/* It knows process_vm_readv(2), and no rt_sigprocmask(2) with a HOW
	 * that is invalid. */
	if (getenv("UNDER_VALGRIND"))
		SKIP("valgrind answers for the kernel");
	child = fork();
	CHECK(child != -1);
	if (child == 0)
		_exit(run_forbidden(question));
	CHECK_EQ(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		fail_msg("killed by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == NO_FILTER)
		SKIP("this kernel takes no seccomp filter");
	CHECK_EQ(WEXITSTATUS(status), GOOD);
}

#define BOTH_WAYS(question)                        \
	TEST(question##_)                          \
	{                                          \
		CHECK(question());                 \
	}                                          \
	TEST(question##_when_forbidden)            \
	{                                          \
		check_when_forbidden(question);    \
	}

BOTH_WAYS(reads_what_is_there)
BOTH_WAYS(reads_up_to_the_edge_of_a_page_and_no_further)
BOTH_WAYS(refuses_what_is_not_mapped)
BOTH_WAYS(counts_readable_pages)
BOTH_WAYS(leaves_errno_alone)
BOTH_WAYS(reads_a_word_of_a_stack_and_beyond)
BOTH_WAYS(keeps_the_signal_mask)

TEST(reads_code_of_a_module)
{
	uintptr_t code = (uintptr_t)memcpy;
	unsigned char buf[16];

	CHECK(wcm__read_code(code, buf, sizeof(buf)));
	CHECK(memcmp(buf, (const void *)code, sizeof(buf)) == 0);
	CHECK(!wcm__read_code(0, buf, sizeof(buf)));
}

TEST(knows_what_a_span_holds)
{
	const struct wcm_span span = { 100, 200 };

	CHECK(wcm__span_holds(&span, 100, 100));
	CHECK(wcm__span_holds(&span, 199, 1));
	CHECK(!wcm__span_holds(&span, 99, 2));
	CHECK(!wcm__span_holds(&span, 193, 8));
	CHECK(!wcm__span_holds(&span, 200, 0));
	CHECK(!wcm__span_holds(&span, 150, SIZE_MAX));
}

RUN(reads_what_is_there_, reads_what_is_there_when_forbidden,
    reads_up_to_the_edge_of_a_page_and_no_further_,
    reads_up_to_the_edge_of_a_page_and_no_further_when_forbidden,
    refuses_what_is_not_mapped_, refuses_what_is_not_mapped_when_forbidden,
    counts_readable_pages_, counts_readable_pages_when_forbidden,
    leaves_errno_alone_, leaves_errno_alone_when_forbidden,
    reads_a_word_of_a_stack_and_beyond_,
    reads_a_word_of_a_stack_and_beyond_when_forbidden,
    keeps_the_signal_mask_, keeps_the_signal_mask_when_forbidden,
    reads_code_of_a_module, knows_what_a_span_holds)
