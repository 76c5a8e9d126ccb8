/* SPDX-License-Identifier: MIT */
/* module.h (SAFE) - one loaded object, from the headers that it has mapped. */
#ifndef WCM_MODULES_MODULE_H
#define WCM_MODULES_MODULE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/dynsym.h"
#include "core/modules/headers.h"

struct wcm_known_module;

/* Addresses, of code and of the FDE. */
struct wcm_fde_pair {
	uintptr_t start, fde;
};

/* Where an object's frame descriptions are mapped. */
struct wcm_unwind_table {
	uintptr_t hdr;    /* .eh_frame_hdr, or 0 */
	uintptr_t frames; /* .eh_frame, where there is no .eh_frame_hdr */
	uintptr_t lo, hi; /* the readable segment that holds both, else the object's span */
	bool whole;       /* all from LO to HI is mapped, while the object is */
	bool held;        /* it stays mapped while the table is used: read where it lies */
	bool is_debug;    /* FRAMES is a copy of .debug_frame */
	uintptr_t bias;   /* then: of the module that it is of */
	/* The published module that it is of, if that can never be unloaded; else NULL. */
	const struct wcm_known_module *known;
	/* Memory of ours that stays, in the place of HDR: all FDEs that count, by their code. */
	const struct wcm_fde_pair *index;
	size_t indexed; /* how many */
};

struct wcm_module {
	uintptr_t bias;   /* run-time address less p_vaddr */
	uintptr_t lo, hi; /* what its PT_LOAD segments span */
	uintptr_t text_lo, text_hi; /* its first executable segment */
	const char *path;
	const ElfW(Phdr) *phdr;
	const uint8_t *build_id; /* in the mapped note */
	uint32_t phnum, build_id_size;
	bool is_listed;    /* FILE_TAG was noted when the module was listed */
	uint64_t file_tag; /* of its file, where it has no build-id; 0: it is not there */
	struct wcm_dynsym dynsym;
	struct wcm_unwind_table unwind;
};

/* Describe an object from its program headers; PHDR, BIAS and PATH as
 * dl_iterate_phdr(3) reports them.  False where the headers make no sense. */
bool wcm__module_describe(struct wcm_module *module, uintptr_t bias,
			  const ElfW(Phdr) *phdr, size_t phnum,
			  const char *path);

/* The same for an object that stays mapped meanwhile, read where it lies, in two
 * steps: all but its frame descriptions, then these, for which all of a large
 * object may have to be read. */
bool wcm__module_identify_held(struct wcm_module *module, uintptr_t bias,
			       const ElfW(Phdr) *phdr, size_t phnum,
			       const char *path);
void wcm__module_find_frames_held(struct wcm_module *module);

/* Describe the object whose ELF header is mapped at BASE. */
bool wcm__module_describe_image(struct wcm_module *module, uintptr_t base,
				const char *path);

/* HASH, which begins as WCM_MODULE_HASH, with SIZE bytes of MEMORY. */
#define WCM_MODULE_HASH UINT64_C(0xcbf29ce484222325)
uint64_t wcm__module_hash(uint64_t hash, const void *memory, size_t size);

/* A number that differs between objects which have the same place. */
uint64_t wcm__module_fingerprint(const struct wcm_module *module);

/* The same for one that stays mapped meanwhile. */
uint64_t wcm__module_fingerprint_held(const struct wcm_module *module);

/* dynamic.c: finds an object's dynamic symbols, and counts them. */

/* Set DYNSYM, if there is one, by the dynamic section of the object of HEADERS, which spans
 * [LO, HI). */
void wcm__dynamic_symbols(struct wcm_dynsym *dynsym, const struct wcm_headers *headers,
			  uintptr_t lo, uintptr_t hi);

/* eh_frame_search.c: searches for .eh_frame in an object without .eh_frame_hdr. */

/* The first entry of the table that lies in [at, end), a segment of the object of HEADERS; 0
 * where there is none. */
uintptr_t wcm__eh_frame_search(const struct wcm_headers *headers, uintptr_t at, uintptr_t end);

#endif
