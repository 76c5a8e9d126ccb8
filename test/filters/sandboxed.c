/* SPDX-License-Identifier: MIT */
/* sandboxed.c - dies in a sandbox of its own making.
 *
 *	sandboxed DEATH ANSWER CALL...
 *
 * ANSWER is what a seccomp filter gives for each CALL, a number: an errno, "trap" or
 * "kill"; CALL "all" is every call from then on.  DEATH is a fault or a signal, with
 * "-thread" behind it that of a thread beside the first.  With -DLINKED it has the
 * library's crash report.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef LINKED
#include <whocallme.h>
#endif

enum { MOST = 64, SKIPPED = 77, WRONG = 99 };

void crashing(const char *death);

static int process, deadly_thread;

__attribute__((noinline)) void crashing(const char *death)
{
	volatile int zero = 0;

	if (strncmp(death, "null", 4) == 0)
		*(volatile int *)(uintptr_t)zero = 1;
	if (strncmp(death, "divide", 6) == 0)
		zero = 100 / zero;
	if (strncmp(death, "abort", 5) == 0)
		abort();
	if (strncmp(death, "send", 4) == 0)
		syscall(SYS_tgkill, process, deadly_thread, SIGSEGV);
	if (strncmp(death, "trap", 4) == 0)
		__asm__ volatile("int3");
}

static unsigned answer_of(const char *word)
{
	if (strcmp(word, "trap") == 0)
		return SECCOMP_RET_TRAP;
	if (strcmp(word, "kill") == 0)
		return SECCOMP_RET_KILL_PROCESS;
	return SECCOMP_RET_ERRNO | (unsigned)atoi(word);
}

static void enter_sandbox(char *words[])
{
	const unsigned answer = answer_of(words[0]);
	struct sock_filter code[2 * MOST + 2], *at = code;
	struct sock_fprog program = { .filter = code };

	*at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	while (*++words && at < code + 2 * MOST) {
		if (strcmp(*words, "all") == 0)
			break;
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						     (unsigned)atoi(*words), 0, 1);
		*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
	}
	*at++ = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, *words ? answer : SECCOMP_RET_ALLOW);
	program.len = (unsigned short)(at - code);
	/* Of all threads. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		    &program) != 0)
		_exit(SKIPPED);
}

static char **arguments;

static void *die(void *unused)
{
	deadly_thread = (int)syscall(SYS_gettid);
	enter_sandbox(arguments + 2);
	crashing(arguments[1]);
	return unused;
}

int main(int argc, char *argv[])
{
	const struct rlimit none = { 0, 0 };
	pthread_t thread;

	if (argc < 4)
		return WRONG;
	arguments = argv;
	process = getpid();
	setrlimit(RLIMIT_CORE, &none);
#ifdef LINKED
	wcm_crash_install(NULL);
#endif
	if (!strstr(argv[1], "-thread"))
		die(NULL);
	else if (pthread_create(&thread, NULL, die, NULL) == 0)
		pthread_join(thread, NULL);
	_exit(WRONG);
}
