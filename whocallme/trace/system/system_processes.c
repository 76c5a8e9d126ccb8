/* SPDX-License-Identifier: MIT */
/* system_processes.c (SAFE) - structs of processes, and what futex() and prctl() take. */
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(bitset);
WCM_GROUP(clone);

static void put_clone(struct wcm_words *words, uint64_t flags)
{
	wcm__system_group(words, wcm__group_clone, flags);
}

/* Beside them is the signal that tells of the end. */
void wcm__system_put_clone_flags(const struct wcm_system_value *value)
{
	const uint64_t flags = value->value & ~(uint64_t)CSIGNAL, end = value->value & CSIGNAL;

	if (flags)
		put_clone(value->words, flags);
	if (flags && end)
		wcm__words_text(value->words, "|");
	if (end || !flags)
		wcm__system_signal(value->words, end);
}

/* The first members of the kernel's struct clone_args: flags, pidfd, child_tid, parent_tid,
 * exit_signal, stack, stack_size, tls.  Those that the flags make use of are shown. */
void wcm__system_put_clone_struct(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	uint64_t child[8];

	if (!wcm__system_fetch(value, child, sizeof(child)))
		return;
	wcm__system_member(words, "{flags=", child[0], put_clone);
	if (child[0] & CLONE_PIDFD)
		wcm__system_member(words, ", pidfd=", child[1], wcm__system_address);
	if (child[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		wcm__system_member(words, ", child_tid=", child[2], wcm__system_address);
	if (child[0] & CLONE_PARENT_SETTID)
		wcm__system_member(words, ", parent_tid=", child[3], wcm__system_address);
	wcm__system_member(words, ", exit_signal=", child[4], wcm__system_signal);
	wcm__system_member(words, ", stack=", child[5], wcm__system_address);
	wcm__system_member(words, ", stack_size=", child[6], wcm__system_hex);
	if (child[0] & CLONE_SETTLS)
		wcm__system_member(words, ", tls=", child[7], wcm__system_address);
	wcm__words_text(words, "}");
}

void wcm__system_put_rusage(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	long times[4];

	if (!wcm__system_fetch(value, times, sizeof(times)))
		return;
	wcm__words_text(words, "{ru_utime=");
	wcm__system_timeval(words, times);
	wcm__words_text(words, ", ru_stime=");
	wcm__system_timeval(words, times + 2);
	wcm__words_text(words, ", ...}");
}

static void put_limit(struct wcm_words *words, uint64_t limit)
{
	if (limit == (unsigned long)RLIM_INFINITY || limit == UINT64_MAX)
		wcm__words_text(words, "RLIM_INFINITY");
	else
		wcm__words_unsigned(words, limit);
}

static void put_limits(struct wcm_words *words, uint64_t current, uint64_t most)
{
	wcm__system_member(words, "{rlim_cur=", current, put_limit);
	wcm__system_member(words, ", rlim_max=", most, put_limit);
	wcm__words_text(words, "}");
}

void wcm__system_put_rlimit(const struct wcm_system_value *value)
{
	unsigned long limits[2];

	if (wcm__system_fetch(value, limits, sizeof(limits)))
		put_limits(value->words, limits[0], limits[1]);
}

void wcm__system_put_rlimit64(const struct wcm_system_value *value)
{
	uint64_t limits[2];

	if (wcm__system_fetch(value, limits, sizeof(limits)))
		put_limits(value->words, limits[0], limits[1]);
}

/* The argument before it is its size; the kernel fills as much as the result says. */
void wcm__system_put_cpus(const struct wcm_system_value *value)
{
	enum { BITS = 8 * sizeof(unsigned long), MOST = 8192 };
	unsigned long bits[MOST / BITS] = { 0 };
	uint64_t size = wcm__system_beside(value, -1);
	bool is_first = true;

	if (value->is_later && value->is_done)
		size = (uint64_t)value->call->result;
	if (size > sizeof(bits))
		size = sizeof(bits);
	if (!wcm__system_fetch(value, bits, (size_t)size))
		return;
	wcm__words_text(value->words, "[");
	for (unsigned cpu = 0; cpu < MOST; cpu++)
		if (bits[cpu / BITS] >> cpu % BITS & 1) {
			wcm__words_text(value->words, is_first ? "" : " ");
			wcm__words_id(value->words, cpu);
			is_first = false;
		}
	wcm__words_text(value->words, "]");
}

void wcm__system_put_sched_param(const struct wcm_system_value *value)
{
	wcm__system_put_number_pointer(value);
}

static void put_name(struct wcm_words *words, const char *member, const char *name, size_t size)
{
	size_t length = 0;

	while (length < size && name[length])
		length++;
	wcm__words_text(words, member);
	wcm__words_quoted(words, name, length, true);
}

void wcm__system_put_utsname(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct utsname name;

	if (!wcm__system_fetch(value, &name, sizeof(name)))
		return;
	put_name(words, "{sysname=", name.sysname, sizeof(name.sysname));
	put_name(words, ", nodename=", name.nodename, sizeof(name.nodename));
	wcm__words_text(words, ", ...}");
}

void wcm__system_put_sysinfo(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct sysinfo info;

	if (!wcm__system_fetch(value, &info, sizeof(info)))
		return;
	wcm__system_member(words, "{uptime=", (uint64_t)info.uptime, wcm__system_signed);
	wcm__system_member(words, ", totalram=", info.totalram, wcm__words_unsigned);
	wcm__system_member(words, ", freeram=", info.freeram, wcm__words_unsigned);
	wcm__system_member(words, ", procs=", info.procs, wcm__words_unsigned);
	wcm__system_member(words, ", mem_unit=", info.mem_unit, wcm__words_unsigned);
	wcm__words_text(words, ", ...}");
}

/* What the arguments behind the second are: a number, a time, an address, a set of bits,
 * hexadecimal; -: there is none. */
static const char *futex_shape(const struct wcm_system_call *call)
{
	static const char shapes[][5] = {
		[FUTEX_WAIT] = "nt--",		 [FUTEX_WAKE] = "n---",
		[FUTEX_REQUEUE] = "nna-",	 [FUTEX_CMP_REQUEUE] = "nnan",
		[FUTEX_WAKE_OP] = "nnax",	 [FUTEX_LOCK_PI] = "-t--",
		[FUTEX_UNLOCK_PI] = "----",	 [FUTEX_TRYLOCK_PI] = "----",
		[FUTEX_WAIT_BITSET] = "nt-b",	 [FUTEX_WAKE_BITSET] = "n--b",
		[FUTEX_WAIT_REQUEUE_PI] = "nta-", [FUTEX_CMP_REQUEUE_PI] = "nnan",
	};
	const unsigned operation = (unsigned)call->argument[1] & FUTEX_CMD_MASK & 0xffff;

	if (operation >= sizeof(shapes) / sizeof(*shapes) || !*shapes[operation])
		return "xxxx";
	return shapes[operation];
}

bool wcm__futex_lacks(const struct wcm_system_call *call, unsigned at)
{
	return futex_shape(call)[at - 2] == '-';
}

void wcm__system_put_futex_argument(const struct wcm_system_value *value)
{
	switch (futex_shape(value->call)[value->at - 2]) {
	case 'n':
		wcm__system_put_number(value);
		break;
	case 't':
		wcm__system_put_timespec(value);
		break;
	case 'a':
		wcm__system_put_address(value);
		break;
	case 'b':
		wcm__system_group(value->words, wcm__group_bitset, (uint32_t)value->value);
		break;
	default:
		wcm__system_put_hex(value);
	}
}

/* The same of prctl(): s a string, S one that the kernel gives, G a signal, I a number that the
 * kernel gives. */
static const struct {
	int operation;
	char shape[5];
} prctl_shapes[] = {
	{ PR_SET_NAME, "s---" },	{ PR_GET_NAME, "S---" },
	{ PR_SET_PDEATHSIG, "G---" },	{ PR_GET_PDEATHSIG, "I---" },
	{ PR_SET_DUMPABLE, "n---" },	{ PR_GET_DUMPABLE, "----" },
	{ PR_SET_KEEPCAPS, "n---" },	{ PR_GET_KEEPCAPS, "----" },
	{ PR_SET_NO_NEW_PRIVS, "nnnn" }, { PR_GET_NO_NEW_PRIVS, "nnnn" },
	{ PR_SET_TIMERSLACK, "n---" },	{ PR_GET_TIMERSLACK, "----" },
	{ PR_SET_CHILD_SUBREAPER, "n---" }, { PR_CAPBSET_READ, "n---" },
};

static char prctl_shape(const struct wcm_system_call *call, unsigned at)
{
	for (size_t i = 0; i < sizeof(prctl_shapes) / sizeof(*prctl_shapes); i++)
		if (prctl_shapes[i].operation == (int)call->argument[0])
			return prctl_shapes[i].shape[at - 1];
	return 'x';
}

bool wcm__prctl_lacks(const struct wcm_system_call *call, unsigned at)
{
	return prctl_shape(call, at) == '-';
}

void wcm__system_put_prctl_argument(const struct wcm_system_value *value)
{
	struct wcm_system_value given = *value;

	given.is_later = false;
	switch (prctl_shape(value->call, value->at)) {
	case 's':
		wcm__system_put_string(&given);
		break;
	case 'S':
		wcm__system_put_string(value);
		break;
	case 'n':
		wcm__system_put_number(value);
		break;
	case 'G':
		wcm__system_put_signal(value);
		break;
	case 'I':
		wcm__system_put_id_pointer(value);
		break;
	default:
		wcm__system_put_hex(value);
	}
}
