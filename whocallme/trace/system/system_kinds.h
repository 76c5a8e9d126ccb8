/* SPDX-License-Identifier: MIT */
/* system_kinds.h (SAFE) - the kinds of what system calls are given, each with a function that
 * puts it.
 *
 * A function is given the argument as a word, and the call, as many a kind depends on another
 * argument: data on its size, which is the next one.
 */
#ifndef WCM_VALUES_SYSTEM_KINDS_H
#define WCM_VALUES_SYSTEM_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/system/system_call.h"
#include "trace/values/words_memory.h"

/* In the order of the files whose functions they name: numbers, memory, files, time, signals,
 * processes, waiting, sockets. */
#define WCM_SYSTEM_KINDS(X)                                                                  \
	X(group) X(number) X(unsigned) X(size) X(offset) X(id) X(uid) X(dirfd) X(hex)        \
	X(address) X(mode) X(create_mode) X(file_mode) X(ipc_mode) X(device) X(signal)       \
	X(nothing) X(new_address)                                                            \
	X(path) X(string) X(data) X(argv) X(envp) X(iovec) X(id_pair) X(id_pointer)          \
	X(number_pointer) X(offset_pointer) X(uid_pointer) X(groups)                         \
	X(open_how) X(stat) X(statx) X(statfs) X(fcntl_argument) X(fcntl_result)             \
	X(ioctl_argument)                                                                    \
	X(timespec) X(timespecs) X(timeval) X(timevals) X(itimerval) X(itimerspec)           \
	X(interrupted)                                                                       \
	X(sigset) X(siginfo) X(action_struct) X(stack_struct) X(status) X(sigevent)          \
	X(clone_flags) X(clone_struct) X(rusage) X(rlimit) X(rlimit64) X(cpus)               \
	X(sched_param) X(utsname) X(sysinfo) X(futex_argument) X(prctl_argument)             \
	X(pollfds) X(ready_poll) X(fdset) X(ready_select) X(epoll_event) X(epoll_events)     \
	X(socket_type) X(protocol_of) X(sockaddr) X(sockaddr_back) X(msghdr) X(mmsghdr)      \
	X(option) X(option_value) X(option_value_back) X(room_pointer)                       \
	X(uring_params) X(uring_argument)

enum wcm_system_kind {
	WCM_KIND_END, /* of the codes of a call */
#define X(name) WCM_KIND_##name,
	WCM_SYSTEM_KINDS(X)
#undef X
	WCM_KIND_LATER = 0x80, /* with another: the kernel puts it into memory */
};

struct wcm_system_value {
	struct wcm_words *words;
	const struct wcm_system_call *call;
	uint64_t value;
	unsigned at;     /* which argument; 6: the result */
	uint8_t group;   /* of WCM_KIND_group */
	bool is_later;   /* the kernel puts it into memory */
	bool is_done;    /* the call is over, and has not failed */
};

#define X(name) void wcm__system_put_##name(const struct wcm_system_value *value);
WCM_SYSTEM_KINDS(X)
#undef X

/* Whether CALL has no such argument, as another says. */
bool wcm__futex_lacks(const struct wcm_system_call *call, unsigned at);
bool wcm__prctl_lacks(const struct wcm_system_call *call, unsigned at);
bool wcm__fcntl_lacks(const struct wcm_system_call *call);

/* The argument OFFSET behind VALUE's, or before it. */
static inline uint64_t wcm__system_beside(const struct wcm_system_value *value, int offset)
{
	const int at = (int)value->at + offset;

	return at >= 0 && at < WCM_SYSTEM_ARGUMENTS ?
		       (unsigned long)value->call->argument[at] : 0;
}

/* Copy the SIZE bytes that VALUE points to.  False, and its address is put, where they cannot be
 * read or the kernel has not put them there. */
bool wcm__system_fetch(const struct wcm_system_value *value, void *copy, size_t size);

enum { WCM_SYSTEM_SHOWN = 32 }; /* elements of an array */

/* Put "[", up to WCM_SYSTEM_SHOWN of the COUNT elements of SIZE bytes at the address of VALUE by
 * PUT, and "]". */
void wcm__system_array(const struct wcm_system_value *value, uint64_t count, size_t size,
		       void (*put)(const struct wcm_system_value *value, const void *element));

/* Put a member of a struct: NAME, which ends in "=", and a number by its kind. */
void wcm__system_member(struct wcm_words *words, const char *name, uint64_t number,
			void (*put)(struct wcm_words *words, uint64_t number));

/* Put a number: in words of a group, as a signal, in hexadecimal unless it is 0, and so on. */
void wcm__system_group(struct wcm_words *words, uint8_t group, uint64_t number);
void wcm__system_signal(struct wcm_words *words, uint64_t number);
void wcm__system_hex(struct wcm_words *words, uint64_t number);
void wcm__system_address(struct wcm_words *words, uint64_t number);
void wcm__system_octal(struct wcm_words *words, uint64_t number);
void wcm__system_file_mode(struct wcm_words *words, uint64_t number);
void wcm__system_device(struct wcm_words *words, uint64_t number);
void wcm__system_set(struct wcm_words *words, uint64_t set);
void wcm__system_signed(struct wcm_words *words, uint64_t number);
void wcm__system_id(struct wcm_words *words, uint64_t number);

/* Put the COUNT elements of the struct iovec at ADDRESS, of whose data LEFT bytes are used. */
void wcm__system_iovec(const struct wcm_system_value *value, uint64_t address, uint64_t count,
		       uint64_t left);

/* Put seconds and a part of one. */
void wcm__system_timespec(struct wcm_words *words, const long time[2]);
void wcm__system_timeval(struct wcm_words *words, const long time[2]);

#endif
