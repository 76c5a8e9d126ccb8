/* SPDX-License-Identifier: MIT */
/* exec.c - interposes the calls that run another program, so that the trace goes on there.
 *
 * exec(3), execve(2), execveat(2) and posix_spawn(3) are interposed in the shared libraries
 * only; they add to the environment what carry.c makes.  Children of vfork(2) and signal
 * handlers call them, so the environment is built on the stack.  With system(3) and popen(3),
 * they have what is run ignore the signals that the program ignores, where our handlers are.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/memory.h"
#include "core/os/process.h"
#include "format/line.h"
#include "crash/handler.h"
#include "crash/signals/chain.h"
#include "crash/threads/tasks.h"
#include "trace/start/carry.h"
#include "trace/record/record_session.h"
#include "trace/engine/trace_stderr.h"
#include "trace/process/process_end.h"
#include "whocallme/base.h"

/* Makes an environment that does not bring this library.
 *
 * What runs behind a seccomp filter of the program's is killed by it where this library makes a
 * call, at its start, that the filter does not expect. */

#define TRACE "WHOCALLME_TRACE="
#define PRELOAD "LD_PRELOAD="
#define OURS "libwhocallme"
#define BETWEEN ": "

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether the file at PATH, SIZE bytes of a list, is a library of ours. */
static bool is_ours(const char *path, size_t size)
{
	const char *slash = memrchr(path, '/', size);
	const char *base = slash ? slash + 1 : path;

	return (size_t)(path + size - base) >= sizeof(OURS) - 1 && begins(base, OURS);
}

/* LIST, of LD_PRELOAD, without ours to TO, or nowhere; returns whether it has one of ours. */
static bool copy_others(char *to, const char *list)
{
	bool found = false;
	size_t size;

	for (; *list; list += size) {
		list += strspn(list, BETWEEN);
		size = strcspn(list, BETWEEN);
		if (size > 0 && is_ours(list, size)) {
			found = true;
		} else if (to && size > 0) {
			to = mempcpy(to, list, size);
			*to++ = ':';
		}
	}
	if (to)
		*to = '\0';
	return found;
}

static bool brings_us(const char *variable)
{
	return begins(variable, PRELOAD) && copy_others(NULL, variable + sizeof(PRELOAD) - 1);
}

/* As wcm__carry_size() and wcm__carry_make(), with an environment that is ENVP without this
 * library and without a trace; 0: it has neither. */
static size_t bare_size(char *const envp[])
{
	size_t pointers = 1, bytes = 0;
	bool is_bare = true;

	for (; envp && *envp; envp++, pointers++) {
		if (brings_us(*envp))
			bytes += strlen(*envp) + 2;
		is_bare &= !begins(*envp, TRACE) && !brings_us(*envp);
	}
	return is_bare ? 0 : pointers * sizeof(char *) + bytes;
}

static char **bare_make(void *room, char *const envp[])
{
	char **made = room, **to = made, *text = room;
	size_t pointers = 1;

	for (char *const *each = envp; *each; each++)
		pointers++;
	text += pointers * sizeof(char *);
	for (; *envp; envp++) {
		if (begins(*envp, TRACE))
			continue;
		*to++ = *envp;
		if (!brings_us(*envp))
			continue;
		to[-1] = text;
		copy_others(stpcpy(text, PRELOAD), *envp + sizeof(PRELOAD) - 1);
		text += strlen(text) + 1;
	}
	*to = NULL;
	return made;
}

typedef const posix_spawn_file_actions_t spawn_actions;
typedef const posix_spawnattr_t spawn_attributes;
typedef int spawner(pid_t *child, const char *program, spawn_actions *actions,
		    spawn_attributes *attributes, char *const argv[],
		    char *const envp[]);

/* One call of one of these. */
struct call {
	int fd;              /* of fexecve(3), execveat(2) */
	const char *program; /* a path, or a name to look for */
	char *const *argv;
	int flags;
	pid_t *child;        /* from here on of posix_spawn(3) */
	spawn_actions *actions;
	spawn_attributes *attributes;
};

/* Not every libc has it. */
int execveat(int fd, const char *path, char *const argv[], char *const envp[],
	     int flags);

typedef int runner(const struct call *call, char *const envp[]);

static struct {
	int (*execve)(const char *path, char *const argv[], char *const envp[]);
	int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	int (*execveat)(int fd, const char *path, char *const argv[],
			char *const envp[], int flags);
	spawner *posix_spawn, *posix_spawnp;
	int (*system)(const char *command);
	FILE *(*popen)(const char *command, const char *mode);
} real;

/* Before they are called where dlsym(3) may not be, and before a trace begins; ISO C has
 * no cast from an object's to a function's address. */
__attribute__((constructor(101))) static void find_real(void)
{
	*(void **)&real.execve = dlsym(RTLD_NEXT, "execve");
	wcm__session_execve = (uintptr_t)real.execve;
	wcm__session_fork = (uintptr_t)dlsym(RTLD_NEXT, "fork");
	*(void **)&real.execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&real.fexecve = dlsym(RTLD_NEXT, "fexecve");
	*(void **)&real.execveat = dlsym(RTLD_NEXT, "execveat");
	*(void **)&real.posix_spawn = dlsym(RTLD_NEXT, "posix_spawn");
	*(void **)&real.posix_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
	*(void **)&real.system = dlsym(RTLD_NEXT, "system");
	*(void **)&real.popen = dlsym(RTLD_NEXT, "popen");
}

/* The constructor of a library may come before ours. */
static void be_ready(void)
{
	if (!real.execve)
		find_real();
}

static int run_execve(const struct call *call, char *const envp[])
{
	return real.execve(call->program, call->argv, envp);
}

static int run_execvpe(const struct call *call, char *const envp[])
{
	return real.execvpe(call->program, call->argv, envp);
}

static int run_fexecve(const struct call *call, char *const envp[])
{
	return real.fexecve(call->fd, call->argv, envp);
}

/* glibc has it since 2.34, musl has it not. */
static int run_execveat(const struct call *call, char *const envp[])
{
	if (real.execveat)
		return real.execveat(call->fd, call->program, call->argv, envp,
				     call->flags);
	errno = -wcm__execveat(call->fd, call->program, call->argv, envp, call->flags);
	return -1;
}

static int run_spawn(const struct call *call, char *const envp[])
{
	return real.posix_spawn(call->child, call->program, call->actions,
				call->attributes, call->argv, envp);
}

static int run_spawnp(const struct call *call, char *const envp[])
{
	return real.posix_spawnp(call->child, call->program, call->actions,
				 call->attributes, call->argv, envp);
}

/* What a program's environment is made by. */
struct maker {
	size_t (*size)(char *const envp[]);
	char **(*make)(void *room, char *const envp[]);
};

static const struct maker carrying = { wcm__carry_size, wcm__carry_make };
static const struct maker bare = { bare_size, bare_make };

/* In memory of its own; a child of vfork(2) leaves that to its parent, once it has run
 * the program. */
static int run_large(runner *run, const struct call *call, char *const envp[],
		     const struct maker *maker, size_t size)
{
	void *const room = wcm__map(size);
	int result;

	if (!room)
		return run(call, envp);
	result = run(call, maker->make(room, envp));
	wcm__unmap(room, size);
	return result;
}

static void say_bare(void)
{
	wcm__line_say(wcm__trace_stderr(),
		      "what is run now is without the library: the program "
		      "filters system calls by seccomp(2)", NULL, "");
}

static int run_with(runner *run, const struct call *call, char *const envp[])
{
	enum { ENOUGH = 256 }; /* for most; a stack may be a handler's */
	const struct maker *maker = wcm__task_has_own_filter() ? &bare : &carrying;
	const size_t size = maker->size(envp);
	char *room[ENOUGH];

	if (maker == &bare && (size > 0 || wcm__carry_size(envp) > 0))
		say_bare();
	if (size == 0)
		return run(call, envp);
	if (size > sizeof(room))
		return run_large(run, call, envp, maker, size);
	return run(call, maker->make(room, envp));
}

/* What the program ignores its child does, too. */
static int run_as_without(runner *run, const struct call *call, char *const envp[])
{
	uint64_t lent;
	int result;

	be_ready();
	if (!call->child) { /* no posix_spawn(3) */
		wcm__crash_ends();
		wcm__process_end_exec();
	}
	lent = wcm__chain_lend_ignored();
	result = run_with(run, call, envp);
	wcm__chain_take_back(lent);
	return result;
}

WCM_API int execve(const char *path, char *const argv[], char *const envp[])
{
	return run_as_without(run_execve, &(struct call){ .program = path, .argv = argv },
			envp);
}

WCM_API int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

WCM_API int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return run_as_without(run_execvpe, &(struct call){ .program = file, .argv = argv },
			envp);
}

WCM_API int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

WCM_API int fexecve(int fd, char *const argv[], char *const envp[])
{
	return run_as_without(run_fexecve, &(struct call){ .fd = fd, .argv = argv }, envp);
}

WCM_API int execveat(int fd, const char *path, char *const argv[], char *const envp[],
		     int flags)
{
	return run_as_without(run_execveat,
			&(struct call){ .fd = fd, .program = path, .argv = argv,
					.flags = flags },
			envp);
}

WCM_API int posix_spawn(pid_t *child, const char *path, spawn_actions *actions,
			spawn_attributes *attributes, char *const argv[],
			char *const envp[])
{
	return run_as_without(run_spawn,
			&(struct call){ .program = path, .argv = argv, .child = child,
					.actions = actions,
					.attributes = attributes },
			envp);
}

WCM_API int posix_spawnp(pid_t *child, const char *file, spawn_actions *actions,
			 spawn_attributes *attributes, char *const argv[],
			 char *const envp[])
{
	return run_as_without(run_spawnp,
			&(struct call){ .program = file, .argv = argv, .child = child,
					.actions = actions,
					.attributes = attributes },
			envp);
}

WCM_API int system(const char *command)
{
	uint64_t lent;
	int result;

	be_ready();
	lent = wcm__chain_lend_ignored();
	result = real.system(command);
	wcm__chain_take_back(lent);
	return result;
}

WCM_API FILE *popen(const char *command, const char *mode)
{
	uint64_t lent;
	FILE *result;

	be_ready();
	lent = wcm__chain_lend_ignored();
	result = real.popen(command, mode);
	wcm__chain_take_back(lent);
	return result;
}

/* How many arguments follow, FIRST and the NULL among them. */
static size_t count_arguments(const char *first, va_list following)
{
	size_t count = 1;

	for (; first; first = va_arg(following, const char *))
		count++;
	return count;
}

/* FIRST and FOLLOWING, up to the NULL, into ARGV. */
static void gather(char *argv[], const char *first, va_list *following)
{
	while ((*argv++ = (char *)first) != NULL)
		first = va_arg(*following, const char *);
}

WCM_API int execl(const char *path, const char *first, ...)
{
	va_list list;

	va_start(list, first);
	const size_t count = count_arguments(first, list);
	char *argv[count];

	va_end(list);
	va_start(list, first);
	gather(argv, first, &list);
	va_end(list);
	return execve(path, argv, environ);
}

WCM_API int execlp(const char *file, const char *first, ...)
{
	va_list list;

	va_start(list, first);
	const size_t count = count_arguments(first, list);
	char *argv[count];

	va_end(list);
	va_start(list, first);
	gather(argv, first, &list);
	va_end(list);
	return execvpe(file, argv, environ);
}

WCM_API int execle(const char *path, const char *first, ...)
{
	va_list list;

	va_start(list, first);
	const size_t count = count_arguments(first, list);
	char *argv[count];

	va_end(list);
	va_start(list, first);
	gather(argv, first, &list);
	char *const *envp = va_arg(list, char *const *);

	va_end(list);
	return execve(path, argv, envp);
}

#endif
