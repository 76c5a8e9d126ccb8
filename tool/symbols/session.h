/* SPDX-License-Identifier: MIT */
/* session.h - finds the function at an address of a program, at a time. */
#ifndef WCM_TOOL_SESSION_H
#define WCM_TOOL_SESSION_H

#include "base/tree.h"
#include "symbols/function_set.h"
#include "symbols/sym_file.h"

/* sym_store.c: the tables of symbols of a recording, one for each file. */

/* All zero at first. */
struct sym_store {
	struct tree files;
	struct stored **all;
	size_t count, room;
};

/* The table of the module at PATH, as recordings escape it, with BUILD_ID, in hexadecimal
 * or empty: that of the recording in DIR, else that of the module's own file.  Lives as
 * long as STORE; NULL where there is none. */
const struct sym_file *sym_store_get(struct sym_store *store, const char *dir,
				     const char *path, const char *build_id);
/* The text of the recording's other file about that module, of what debug data says, for the caller
 * to free; NULL: there is none. */
char *sym_store_text(struct sym_store *store, const char *dir, const char *path,
		     const char *build_id);
void sym_store_free(struct sym_store *store);

struct loaded_module {
	struct module module;
	const struct sym_file *symbols; /* NULL: there is no table of them */
};

/* A stretch of memory that a module's file was mapped to. */
struct mapping {
	uint64_t start, end;
	struct loaded_module *module;
};

/* A library that was opened while the program ran. */
struct opened {
	uint64_t time, base, end; /* end: UINT64_MAX where it is not known */
	struct loaded_module *module;
	size_t number; /* of those of its session, in the order of their lines */
};

struct address_slot {
	uint64_t address;
	const struct function *function; /* NULL: the slot is free */
	size_t opened_seen; /* as in the session when it was filled; else it is free */
};

/* One program, from its start or exec on. */
struct session {
	char *id, *program;
	uint64_t start;
	int pid;
	size_t number;            /* among the recording's sessions */
	struct mapping *mappings; /* sorted by start */
	size_t mapping_count, mapping_room; /* room: 0 where they are another session's */
	struct opened *opened;    /* sorted by time */
	size_t opened_count, opened_room, opened_seen;
	struct tree opened_now;   /* those of them that are there, by base */
	struct address_slot *slots; /* what was found before, hashed */
	size_t slot_count, slots_used;
	bool absolute;            /* as in struct modules */
};

/* All modules of a recording: the sessions of one program share their tables. */
struct modules {
	const char *dir;
	struct loaded_module **all;
	size_t count, room;
	struct tree by_path; /* and build-id */
	struct sym_store tables;
	bool absolute; /* symbols may be at addresses of an executable that is not moved */
};

/* Read the session's map.  False where there is none. */
bool session_read_map(struct session *session, struct modules *modules);

/* Have it be the one of SAME, which has the same name and lives longer. */
void session_share_map(struct session *session, const struct session *same);

/* Library PATH with BUILD_ID, in hexadecimal or empty, was mapped at MAPPED's base at its
 * time.  When all have been added, they are to be sorted. */
void session_sort_opened(struct session *session);
void session_add_opened(struct session *session, struct modules *modules,
			const struct opened *mapped, char *path, char *build_id);

/* Never NULL.  TIME must not fall from one call to the next. */
const struct function *session_find(struct session *session,
				    struct function_set *functions,
				    uint64_t time, uint64_t address);

/* The one that begins at ADDRESS at the time that was asked about last; NULL: none is known to. */
const struct function *session_function_at(const struct session *session,
					   struct function_set *functions, uint64_t address);

/* The same of the one that ADDRESS is in. */
const struct function *session_function_around(const struct session *session,
					       struct function_set *functions, uint64_t address);

/* The module that ADDRESS is in at that time, and where in it the function begins; NULL: none is
 * known. */
const struct module *session_module_at(const struct session *session, uint64_t address,
				       uint64_t *offset);

void session_free(struct session *session);
void modules_free(struct modules *modules);

#endif
