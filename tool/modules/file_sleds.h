/* SPDX-License-Identifier: MIT */
/* file_sleds.h - the sleds of the functions of a file, as a trace finds them. */
#ifndef WCM_TOOL_FILE_SLEDS_H
#define WCM_TOOL_FILE_SLEDS_H

#include "format/sled_code.h"
#include "modules/build_id.h"

enum { SLED_PARTS = 64 /* of a file's code that are looked at: a linker makes a few */ };

struct file_sleds {
	const struct elf_file *file;
	struct code_part {
		uint64_t address, size, offset;
	} code[SLED_PARTS];
	size_t code_count;
	uint64_t *listed; /* by the compiler, ascending */
	bool *is_named;   /* of each of these: a function has it that was asked for */
	size_t listed_count;
	bool is_listed;   /* one of them at least is a sled */
	struct wcm_sled_profilers profilers;
};

/* Why a function has no sled. */
enum no_sled {
	SLED_IS_THERE,
	SLED_NO_NOPS,
	SLED_IN_FRONT, /* all NOPs are in front of its entry, which has no place for a jump */
	SLED_SHORT,
	SLED_UNKNOWN,  /* the compiler lists one, and its code is of no known form */
	SLED_COLD,
	SLED_PLT,
	SLED_IFUNC,
	SLED_NO_CODE,  /* it is not in this file */
	SLED_NO_PORT,  /* those of this CPU are not known */
};

enum { SLED_BYTES = 32 };

struct function_sled {
	enum no_sled why;
	uint64_t address;  /* of the first NOP, or of the call */
	size_t size;       /* in bytes; where it is short or in front, of what is there */
	bool at_entry;     /* else behind the frame */
	bool is_front;     /* all but a jump is in front of the entry */
	bool is_listed;    /* by the compiler; else found by its code */
	uint8_t code[SLED_BYTES];
};

/* Read what FILE, an open one that outlives it, lists.  NULL, or why that cannot be; there is
 * nothing to be freed then. */
const char *file_sleds_read(struct file_sleds *sleds, const struct elf_file *file);
void file_sleds_free(struct file_sleds *sleds);

/* The sled of the function at ADDRESS whose symbol has FLAGS, WCM_SYMBOL_*, and which ends at
 * NEXT at the latest, where the next symbol is; UINT64_MAX: nobody asks. */
struct function_sled file_sleds_of(struct file_sleds *sleds, uint64_t address, uint64_t next,
				   uint32_t flags);

/* The one that the compiler lists as number INDEX, from 0. */
struct function_sled file_sleds_listed(const struct file_sleds *sleds, size_t index);

#endif
