/* SPDX-License-Identifier: MIT */
/* whocallme/symbol.h - what is at this address?  Include <whocallme.h> instead.
 */
#ifndef WHOCALLME_SYMBOL_H
#define WHOCALLME_SYMBOL_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* An address of this process, resolved.  Nothing in it is the caller's to free.
 * Strings from a loaded function table live as long as the process; those from
 * a module's mapped .dynsym (WCM_SYMBOL_DYNSYM) until it is unloaded. */
struct wcm_symbol {
	const char *module;       /* the file's path, "[vdso]", or NULL */
	const char *name;         /* as in the symbol table, or NULL: unknown */
	const uint8_t *build_id;  /* the GNU build-id note's bytes, or NULL */
	uint32_t build_id_size;   /* in bytes; 0 where there is none */
	uint32_t flags;           /* WCM_SYMBOL_* */
	uintptr_t address;        /* where the function or variable starts */
	uint64_t size;            /* of it, in bytes; 0: unknown */
	uint64_t offset;          /* of the address from its start */
	uint64_t module_offset;   /* the address in the file's own numbering */
	uint64_t reserved[2];     /* zero */
};

#define WCM_SYMBOL_PLT 0x1u      /* a linkage stub, named f@plt */
#define WCM_SYMBOL_COLD 0x2u     /* the part of the function split off as
				  * unlikely; address and offset are its own */
#define WCM_SYMBOL_IFUNC 0x4u    /* a resolver of an indirect function */
#define WCM_SYMBOL_UNSIZED 0x8u  /* the symbol has no size: it is taken to reach
				  * to the next one, or its section's end */
#define WCM_SYMBOL_DYNSYM 0x10u  /* the module has no table; the name is from
				  * its mapped .dynsym */
#define WCM_SYMBOL_UNLOADED 0x20u /* the module that held the address is gone
				   * and nothing has taken its place */
#define WCM_SYMBOL_DATA 0x80u    /* a variable, which wcm_symbol_find() alone looks for
				  * where no function holds the address */
#define WCM_SYMBOL_PART 0x40u    /* the same as COLD of a part that need not be
				  * unlikely, as basic-block sections make them */

/* Resolve ADDRESS, exactly as given (see wcm_frame_site() for frames), filling
 * *SYMBOL.  Returns WCM_OK; WCM_ENOSYMS where a module holds the address but no
 * known function or variable does; WCM_ENOMODULE where nothing does.  On failure the fields
 * that are known are filled all the same.  A module met for the first time has
 * its functions loaded; variables are read from its file's .symtab, else its mapped
 * .dynsym, each time.  Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status wcm_symbol_find(uintptr_t address,
					struct wcm_symbol *symbol);

/* The same from what is loaded already: a module without a table is named from
 * its mapped .dynsym. */
WCM_API WCM_SIGSAFE enum wcm_status wcm_symbol_peek(uintptr_t address,
						    struct wcm_symbol *symbol);

/* The name as people write it: NAME demangled (C++, Rust, D), in memory of its
 * own that the caller frees; NULL where NAME is not mangled, is too long or too much to
 * be taken apart in bounded time and memory, or memory is out.  Thread-safe. */
WCM_API char *wcm_name_demangle(const char *name);

/* Cut NAME, a demangled one, down in place to the function's own name: without
 * parameters, template arguments, ABI tags and the type that it returns.  Returns its
 * length. */
WCM_API WCM_SIGSAFE size_t wcm_name_shorten(char *name);

/* Write to FD a line for every module the library knows: address, build-id,
 * functions known, file they came from - or why there are none, such as a debug
 * file that is not the mapped module's:
 *
 *	0x00005581f0a00000 /usr/bin/prog [8fc1...] 1234 functions from /usr/bin/prog
 *
 * Returns WCM_OK, or WCM_ESYSTEM where FD does not take it.  Thread-safe. */
WCM_API enum wcm_status wcm_modules_write(int fd);

WCM_END_DECLS

#endif
