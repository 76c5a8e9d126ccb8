/* SPDX-License-Identifier: MIT */
/* system_kinds.h (SAFE) - the kinds of what system calls are given, each with a function that puts
 * it, and the tables of system_calls.list.
 *
 * Arguments, members of structs and elements of arrays have the same kinds.  A function is given a
 * number, and the call, as many a kind depends on another argument: data on its size, which is the
 * next one.
 */
#ifndef WCM_SYSTEM_KINDS_H
#define WCM_SYSTEM_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/system/system_call.h"
#include "trace/values/words_memory.h"

/* Numbers first: those from "number" to "signal" are an int of the call, those up to
 * "ready_select" have a sign.  Then by file: structs, memory, processes, waiting, sockets. */
#define WCM_SYSTEM_KINDS(X)                                                                  \
	X(offset) X(number) X(id) X(fd) X(dirfd) X(ready_poll) X(ready_select)               \
	X(group) X(named) X(unsigned) X(uid) X(mode) X(create_mode) X(file_mode) X(ipc_mode) \
	X(device) X(signal)                                                                  \
	X(size) X(hex) X(address) X(new_address) X(nothing) X(plain) X(signal_set)           \
	X(struct) X(choice) X(lacking) X(more)                                               \
	X(path) X(string) X(data) X(text) X(envp) X(used_data)                               \
	X(interrupted) X(file_time) X(handler) X(status) X(clone_flags) X(limit) X(cpus)     \
	X(fdset)                                                                             \
	X(socket_type) X(sockaddr) X(sockaddr_back) X(port) X(network_long) X(inet_address)  \
	X(inet6_address) X(message_name) X(counted_message) X(option_value)                  \
	X(option_value_back)

enum wcm_system_kind {
	WCM_KIND_END, /* of the codes of a call */
#define X(name) WCM_KIND_##name,
	WCM_SYSTEM_KINDS(X)
#undef X
	WCM_KIND_LATER = 0x80, /* with another: the kernel puts it into memory */
};

/* A kind, and of which group, struct or choice. */
struct wcm_system_code {
	uint8_t kind, number;
};

struct wcm_system_value {
	struct wcm_words *words;
	const struct wcm_system_call *call;
	uint64_t value;
	const void *bytes; /* of a member or an element; NULL: an argument */
	const void *whole; /* the struct that it is a member of */
	uint64_t *left;    /* bytes of data that parts not shown yet have at most */
	unsigned at;       /* which argument; 6: the result */
	unsigned size;     /* of a member */
	uint8_t number;    /* of a group, a struct or a choice */
	bool is_later;     /* the kernel puts it into memory */
	bool is_hidden;    /* it has not done that */
	bool is_done;      /* the call is over, and has not failed */
};

#define X(name) void wcm__system_put_##name(const struct wcm_system_value *value);
WCM_SYSTEM_KINDS(X)
#undef X

/* Where a call's name begins, 0 where there is none, and its codes: of its result, of its
 * arguments, and WCM_KIND_END.  And where the names of its classes begin, with blanks in
 * between. */
struct wcm_system_entry {
	uint16_t name, codes, classes;
};

/* A group's rows: each a value and where its name begins.  One without a name is the mask of the
 * bits that the values after it are compared in; 0: each in its own. */
struct wcm_system_group {
	uint16_t first, count;
};

enum wcm_system_form { WCM_FORM_STRUCT, WCM_FORM_TUPLE, WCM_FORM_BARE, WCM_FORM_ARRAY };

/* A struct's members, or what an array's elements are. */
struct wcm_system_struct {
	uint16_t first, count, size;
	uint8_t form; /* enum wcm_system_form */
};

/* Bytes of the largest that is copied. */
enum {
	WCM_ROOM_ARRAY = 64, /* an element */
	WCM_ROOM_STRUCT = 512,
	WCM_ROOM_TUPLE = WCM_ROOM_STRUCT,
	WCM_ROOM_BARE = WCM_ROOM_STRUCT,
};

/* NAME is where the name begins, with "=" at its end.  WHEN is the number of an expression:
 * whether a member is shown, how many elements there are; 0: always. */
struct wcm_system_part {
	uint16_t name, offset, size;
	struct wcm_system_code code;
	uint8_t when;
};

/* The rows of a choice by an argument's bits within MASK; the last is for any other value. */
struct wcm_system_choice {
	uint32_t mask;
	uint16_t first, count;
	uint8_t argument;
};

struct wcm_system_choice_row {
	uint32_t value;
	struct wcm_system_code code;
};

#define WCM_SYSTEM_TABLE extern const __attribute__((visibility("hidden")))
WCM_SYSTEM_TABLE struct wcm_system_entry wcm__system_calls[WCM_SYSTEM_CALLS];
WCM_SYSTEM_TABLE struct wcm_system_code wcm__system_codes[];
WCM_SYSTEM_TABLE char wcm__system_names[];
WCM_SYSTEM_TABLE struct wcm_system_group wcm__system_groups[];
WCM_SYSTEM_TABLE uint64_t wcm__system_values[];
WCM_SYSTEM_TABLE uint16_t wcm__system_value_names[];
WCM_SYSTEM_TABLE struct wcm_system_struct wcm__system_structs[];
WCM_SYSTEM_TABLE struct wcm_system_part wcm__system_parts[];
WCM_SYSTEM_TABLE struct wcm_system_choice wcm__system_choices[];
WCM_SYSTEM_TABLE struct wcm_system_choice_row wcm__system_choice_rows[];

/* What the expression NUMBER says of the struct BYTES and of VALUE. */
uint64_t wcm__system_expression(unsigned number, const void *bytes,
				const struct wcm_system_value *value);

/* The number of a group or a struct of the list. */
#define WCM_GROUP(name) WCM_SYSTEM_TABLE uint8_t wcm__group_##name
#define WCM_STRUCT(name) WCM_SYSTEM_TABLE uint8_t wcm__struct_##name

/* Put an argument or a result of VALUE's call, WORD, as CODE says; VALUE is then that. */
void wcm__system_put(struct wcm_system_value *value, struct wcm_system_code code, long word);

/* Put a member of WHOLE, or an element, whose PART->size bytes are at BYTES. */
void wcm__system_put_part(const struct wcm_system_value *value, const struct wcm_system_part *part,
			  const void *whole, const void *bytes);

/* What the choice NUMBER is for CALL. */
struct wcm_system_code wcm__system_chosen(const struct wcm_system_call *call, uint8_t number);

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

/* Put the struct NUMBER that is at BYTES, or that VALUE points to. */
void wcm__system_struct(const struct wcm_system_value *value, uint8_t number, const void *bytes);
void wcm__system_struct_at(const struct wcm_system_value *value, uint8_t number);

/* How many pointers there are where VALUE points to, up to one that is NULL or cannot be read; at
 * least 1 where that is the first, and at most one more than are shown. */
uint64_t wcm__system_pointers(const struct wcm_system_value *value);

/* Put a number: in words of a group, as a signal, in hexadecimal unless it is 0. */
void wcm__system_group(struct wcm_words *words, uint8_t group, uint64_t number);
void wcm__system_signal(struct wcm_words *words, uint64_t number);
void wcm__system_hex(struct wcm_words *words, uint64_t number);

/* Put the set bits of BITS below COUNT: [0 3]. */
void wcm__system_bits(struct wcm_words *words, const unsigned long *bits, uint64_t count);

#endif
