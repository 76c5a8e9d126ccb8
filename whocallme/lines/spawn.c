/* SPDX-License-Identifier: MIT */
/* spawn.c (SAFE) - starts another program, from a process in any state.
 *
 * It starts it as vfork(2) does, with no copy of the memory, of which there may be no
 * more, and without libc, which may be what broke.  The program is the child of a
 * child that ends at once, so that no wait(2) of the process sees it and no SIGCHLD
 * comes.  (If the process is the init of a container or a subreaper, the program
 * becomes its child all the same.)
 *
 * It starts the file that was there while the process was well, or nothing: the file is
 * opened anew, compared, and run by its descriptor.  A script is run by its path,
 * since its interpreter opens it; then nobody else may be able to write to the path.
 */
#include "lines/spawn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "core/os/file.h"
#include "core/os/identity.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/socket.h"

enum { SIGNALS = 64 };

/* What the processes share, in the frame of the thread that waits meanwhile. */
struct start {
	struct wcm_spawn_stacks *stacks;
	enum wcm_spawn_errors errors;
	const struct wcm_spawn_file *file;
	const char *const *arguments, *const *environment;
	int fd;              /* the program's end */
	volatile long pid;   /* of the program, or the error of its clone(2), */
	volatile long first; /* and of the first child, as that one is told */
	volatile long error; /* of what keeps it from starting, or 0 */
};

static long clone_on(int stack, long flags, long (*function)(void *argument),
		     struct start *start)
{
	return wcm__arch_clone(CLONE_VM | CLONE_VFORK | flags,
			       &start->stacks->stack[stack + 1], function, start);
}

/* Not the handlers of the process, and nothing that it ignores: execve(2) keeps
 * that. */
static void default_signals(void)
{
	for (int signal = 1; signal <= SIGNALS; signal++)
		wcm__kernel_action_reset(signal);
}

/* What the process has run out of, it may have died of; the program gets what there
 * is.  Its core must not take the place of the process's. */
static void arrange_limits(void)
{
	static const int resources[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE };
	struct rlimit now = { 0 };

	wcm__prlimit(RLIMIT_CORE, &now, NULL);
	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		now.rlim_cur = now.rlim_max = RLIM_INFINITY;
		wcm__prlimit(resources[i], NULL, &now);
		now.rlim_cur = now.rlim_max;
		wcm__prlimit(resources[i], &now, NULL);
	}
}

void wcm__close_from(unsigned first)
{
	enum { MOST = 1 << 20 };
	struct rlimit files = { .rlim_cur = MOST };

	if (wcm__close_range(first, ~0u) == 0)
		return;
	wcm__prlimit(RLIMIT_NOFILE, NULL, &files);
	if (files.rlim_cur > MOST)
		files.rlim_cur = MOST;
	for (; first < files.rlim_cur; first++)
		wcm__close((int)first);
}

/* FD as stdin and stdout, as stderr that or nothing, and no other. */
static long arrange_descriptors(int fd, enum wcm_spawn_errors errors)
{
	enum { FIRST_OTHER = STDERR_FILENO + 1 };
	const int socket = wcm__fcntl(fd, F_DUPFD, FIRST_OTHER);
	int null, error;

	if (socket < 0)
		return socket;
	error = wcm__dup3(socket, STDIN_FILENO, 0);
	if (error >= 0)
		error = wcm__dup3(socket, STDOUT_FILENO, 0);
	if (error < 0)
		return error;
	wcm__close(STDERR_FILENO);
	if (errors == WCM_ERRORS_SOCKET)
		wcm__dup3(socket, STDERR_FILENO, 0);
	null = wcm__open("/dev/null", O_RDWR);
	if (null >= 0 && null != STDERR_FILENO && errors == WCM_ERRORS_NOWHERE)
		wcm__dup3(null, STDERR_FILENO, 0);
	wcm__close_from(FIRST_OTHER);
	return 0;
}

/* The descriptor of the file at PATH, and which it is, or a negative number. */
static int open_file(const char *path, struct wcm_path *entry, struct wcm_file_id *id)
{
	struct wcm_file_status status;
	const int fd = wcm__path_open_guarded(entry, path, wcm__identity_user(), O_PATH);
	const int error = fd < 0 ? fd : (int)wcm__file_status(fd, "", &status);

	if (error == 0)
		*id = wcm__file_id(&status);
	else if (fd >= 0)
		wcm__close(fd);
	return error < 0 ? error : fd;
}

struct wcm_spawn_file wcm__spawn_file(const char *path, struct wcm_path *entry)
{
	struct wcm_spawn_file file = { .path = path };
	int fd;

	wcm__identity_note();
	fd = open_file(path, entry, &file.id);
	if (fd < 0)
		file.error = fd;
	else
		wcm__close(fd);
	return file;
}

/* The descriptor of the program, or a negative number. */
static int open_program(const struct start *start)
{
	struct wcm_file_id now;
	const int fd = open_file(start->file->path, &start->stacks->entry, &now);

	if (fd >= 0 && !wcm__file_is(&now, &start->file->id))
		return -WCM_SPAWN_EXCHANGED;
	return fd;
}

/* A frame that is never left would leave marks in the sanitizer's memory. */
__attribute__((no_sanitize("address"))) static long execute(const struct start *start)
{
	char *const *const arguments = (char *const *)start->arguments;
	char *const *const environment = (char *const *)start->environment;
	const int fd = open_program(start);
	int error;

	if (fd < 0)
		return fd;
	wcm__mask_set(0);
	error = wcm__execveat(fd, "", arguments, environment, AT_EMPTY_PATH);
	/* A script, which could not be opened by a descriptor that is closed. */
	if (error == -ENOENT)
		error = wcm__execve(start->file->path, arguments, environment);
	return error;
}

/* The second child, which becomes the program.  A session of its own keeps what is
 * typed at the terminal from it, and its own children can be killed with it.  As
 * above of frames. */
__attribute__((no_sanitize("address"))) static long become(void *argument)
{
	struct start *start = argument;
	long error = wcm__identity_check(start->fd);

	wcm__setsid();
	if (error >= 0)
		error = arrange_descriptors(start->fd, start->errors);
	arrange_limits();
	default_signals();
	if (error >= 0)
		error = wcm__chdir("/");
	if (error >= 0)
		error = wcm__identity_reduce();
	start->error = error >= 0 ? execute(start) : error;
	wcm__mask_set(WCM_MASK_ALL); /* the exit may be trapped, too */
	return 127;
}

/* The first child.  All is blocked before anything that a seccomp filter may trap:
 * a handler of the process must not run here. */
static long start_second(void *argument)
{
	struct start *start = argument;

	wcm__mask_set(WCM_MASK_ALL);
	start->first = wcm__getpid();
	start->pid = clone_on(1, SIGCHLD, become, start);
	return 0;
}

/* Returns the pid of the program, 0 where it is not known, or a negative error.  Children
 * in a PID namespace of their own count otherwise: there its number is not the one here,
 * which may be another process's.  Valgrind runs them in copies of the memory. */
static long start_both(struct start *start)
{
	/* Signals that come of what the filter of the process forbids are let
	 * through, for their handler to make an error of them. */
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	long child, waited = -EINTR;
	int status = 0;

	/* A handler in the child would write over the frames of ours, where both
	 * are on the alternate stack. */
	if (!wcm__mask_can_be_set()) {
		wcm__mask_set(mask);
		return -EPERM;
	}
	child = clone_on(0, 0, start_second, start);
	while (child > 0 && waited == -EINTR)
		waited = wcm__wait4((int)child, &status, __WALL);
	wcm__mask_set(mask);
	if (child < 0)
		return child;
	if (start->error < 0)
		return start->error;
	if (WIFSIGNALED(status))
		return -ECHILD;
	return start->pid < 0 || start->first == child ? start->pid : 0;
}

static void identify(const struct wcm_file_status *status, struct wcm_spawned *spawned)
{
	const struct wcm_file_id id = wcm__file_id(status);

	spawned->device = id.device;
	spawned->inode = id.inode;
}

/* STATUS stays zero where the kernel, or its filter, does not say. */
static bool is_open(int fd, struct wcm_file_status *status)
{
	return wcm__file_status(fd, "", status) != -EBADF;
}

/* Our end gets a number out of the way of those that programs expect. */
static int move_away(int fd)
{
	enum { OUT_OF_THE_WAY = 500, FIRST_OTHER = STDERR_FILENO + 1 };
	int moved = wcm__fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);

	if (moved < 0 && fd < FIRST_OTHER)
		moved = wcm__fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OTHER);
	if (moved < 0)
		return fd;
	wcm__close(fd);
	return moved;
}

int wcm__spawn(struct wcm_spawned *spawned, struct wcm_spawn_stacks *stacks,
	       enum wcm_spawn_errors errors, const struct wcm_spawn_file *file,
	       const char *const arguments[], const char *const environment[])
{
	struct start start;
	struct wcm_file_status status;
	int ends[2];
	long result;

	start.stacks = stacks;
	start.errors = errors;
	start.file = file;
	start.arguments = arguments;
	start.environment = environment;
	start.pid = start.first = start.error = 0;
	spawned->fd = -1;
	if (file->error < 0)
		return (int)file->error;
	result = wcm__socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, ends);
	if (result < 0)
		return (int)result;
	start.fd = ends[1];
	/* The program is to know who asks: what this process has become by then. */
	wcm__setsockopt(start.fd, SOL_SOCKET, SO_PASSCRED, 1);
	result = start_both(&start);
	wcm__close(ends[1]);
	if (result < 0) {
		wcm__close(ends[0]);
		return (int)result;
	}
	spawned->fd = move_away(ends[0]);
	spawned->pid = (int)result;
	is_open(spawned->fd, &status);
	identify(&status, spawned);
	return 0;
}

bool wcm__spawned_is_there(const struct wcm_spawned *spawned)
{
	struct wcm_spawned now;
	struct wcm_file_status status;

	if (spawned->fd < 0 || !is_open(spawned->fd, &status))
		return false;
	identify(&status, &now);
	return now.device == spawned->device && now.inode == spawned->inode;
}

/* While the other end is open, it is the program that has it, and its pid is its
 * own. */
static bool has_ended(int fd)
{
	const int found = wcm__poll(fd, 0, 0);

	return found > 0 && (found & POLLHUP);
}

void wcm__spawned_end(struct wcm_spawned *spawned, bool kill)
{
	if (wcm__spawned_is_there(spawned)) {
		if (kill && spawned->pid > 0 && !has_ended(spawned->fd)) {
			wcm__kill(-spawned->pid, SIGKILL);
			wcm__kill(spawned->pid, SIGKILL);
		}
		wcm__close(spawned->fd);
	}
	spawned->fd = -1;
}
