/* SPDX-License-Identifier: MIT */
/* list_module.c - lists the prototypes of a module's functions with sleds, by its debug data, and
 * those of a library's functions that a program calls.
 *
 * Each entry of debug data that has code and a sled is a line: /usr/bin/program+0x1136 iis.  What
 * optimization has made other parameters for is left out: debug data has those of the source.
 */
#include "prototypes/list_module.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <whocallme.h>

#include "base/complain.h"
#include "base/grow.h"
#include "debug/entries.h"
#include "debug/split.h"
#include "format/glob.h"
#include "launch/hooks.h"
#include "modules/file_sleds.h"
#include "modules/module_files.h"
#include "prototypes/enums.h"
#include "prototypes/type_fields.h"

enum { TYPE_CODES_MOST = 240 };

/* Says in a code each what a function is given and gives back.
 *
 * A code says how a value is shown and where it is handed over, by the psABI's classes (3.2.3).
 * Behind a parameter of which that is not known, the next cannot be found. */

enum {
	CODE_ROOM = 16,
	WORDS_MOST = 'z' - '0', /* of what is in memory */
};

static const char unknown[] = ".";

static bool is_character(Dwarf_Die *type)
{
	const char *name = dwarf_tag(type) == DW_TAG_base_type ? dwarf_diename(type) : NULL;

	return name && strcmp(name, "char") == 0;
}

/* Of integers of SIZE bytes. */
static const char *integer(Dwarf_Word size, bool has_sign)
{
	switch (size) {
	case 1: return has_sign ? "a" : "A";
	case 2: return has_sign ? "h" : "H";
	case 4: return has_sign ? "i" : "I";
	case 8: return has_sign ? "l" : "L";
	case 16: return has_sign ? "q" : "Q";
	default: return unknown;
	}
}

static const char *floating(Dwarf_Word size, const char *name)
{
	switch (size) {
	case 4: return "f";
	case 8: return "d";
	case 16: return name && strstr(name, "long double") ? "e" : unknown;
	default: return unknown;
	}
}

/* Both parts are in one word, or in two, or in memory; as a result those are in registers of
 * which nothing is known. */
static const char *complex_floating(Dwarf_Word size, bool is_result)
{
	switch (size) {
	case 8: return "{d}";
	case 16: return "{dd}";
	case 32: return is_result ? unknown : "M4";
	default: return unknown;
	}
}

static uint64_t size_of(Dwarf_Die *type)
{
	return type_number(type, DW_AT_byte_size, 0);
}

static const char *number(Dwarf_Die *type, bool is_result)
{
	const uint64_t encoding = type_number(type, DW_AT_encoding, 0), size = size_of(type);

	switch (encoding) {
	case DW_ATE_boolean:
		return size == 1 ? "b" : integer(size, false);
	case DW_ATE_signed_char: case DW_ATE_unsigned_char:
		return is_character(type) ? "c" : integer(size, encoding == DW_ATE_signed_char);
	case DW_ATE_signed:
		return integer(size, true);
	case DW_ATE_unsigned: case DW_ATE_UTF:
		return integer(size, false);
	case DW_ATE_float:
		return floating(size, dwarf_diename(type));
	case DW_ATE_complex_float:
		return complex_floating(size, is_result);
	default:
		return unknown;
	}
}

static const char *pointer(Dwarf_Die *type)
{
	Dwarf_Die to;

	if (!type_of(type, &to, NULL))
		return "p";
	if (dwarf_tag(&to) == DW_TAG_subroutine_type)
		return "F";
	return dwarf_tag(type) == DW_TAG_pointer_type && is_character(&to) ? "s" : "p";
}

/* Of a size of its own, or that of the type below it; without one, its enumerators tell of the
 * sign. */
static void put_enumeration(Dwarf_Die *type, struct enums *enums, const char *name,
			    char code[static CODE_ROOM])
{
	const uint64_t size = size_of(type);
	const unsigned listed = enums_add(enums, type, name);
	const char *plain = integer(size, enums_have_sign(type));
	Dwarf_Die below;

	if (type_of(type, &below, NULL) && dwarf_tag(&below) == DW_TAG_base_type)
		plain = number(&below, false);
	if (*plain == 'b' || *plain == 'c')
		plain = integer(size, *plain == 'c');
	if (*plain == *unknown || listed == ENUMS_NONE)
		snprintf(code, CODE_ROOM, "%s", plain);
	else
		snprintf(code, CODE_ROOM, "E%u%s", listed, plain);
}

/* WORDS of memory are as many as there are, or as can be said. */
static void put_memory(uint64_t size, unsigned alignment, bool is_result,
		       char code[static CODE_ROOM])
{
	uint64_t words = (size + FIELDS_WORD - 1) / FIELDS_WORD;

	if (!is_result && (words > WORDS_MOST || alignment > FIELDS_MOST)) {
		strcpy(code, unknown);
		return;
	}
	code[0] = alignment > FIELDS_WORD ? 'M' : 'm';
	code[1] = (char)('0' + (words > WORDS_MOST ? WORDS_MOST : words));
	code[2] = '\0';
}

static void put_struct(Dwarf_Die *type, bool is_result, char code[static CODE_ROOM])
{
	const uint64_t size = size_of(type);
	struct type_fields fields;
	char *to = code;

	if (type_goes_by_address(type)) {
		strcpy(code, is_result ? "m1" : "p");
		return;
	}
	fields = type_fields_of(type, size);
	if (fields.is_unknown) {
		strcpy(code, unknown);
	} else if (is_result && fields.is_extended) {
		strcpy(code, fields.count == 1 ? "e" : "m2");
	} else if (fields.in_memory) {
		put_memory(size, fields.alignment, is_result, code);
	} else {
		const bool is_wide = fields.alignment > FIELDS_WORD;

		*to++ = is_wide ? '[' : '{';
		for (unsigned i = 0; i < 2 && fields.word[i] != WORD_EMPTY; i++)
			*to++ = fields.word[i] == WORD_FLOATING ? 'd' : 'l';
		*to++ = is_wide ? ']' : '}';
		*to = '\0';
	}
}

static void put_type(Dwarf_Die *type, struct enums *enums, const char *name, bool is_result,
		     char code[static CODE_ROOM])
{
	Dwarf_Die to;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		strcpy(code, number(type, is_result));
		break;
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		strcpy(code, pointer(type));
		break;
	case DW_TAG_unspecified_type:
		strcpy(code, "p");
		break;
	case DW_TAG_enumeration_type:
		put_enumeration(type, enums, name, code);
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		put_struct(type, is_result, code);
		break;
	case DW_TAG_ptr_to_member_type:
		strcpy(code, type_of(type, &to, NULL) &&
					     dwarf_tag(&to) == DW_TAG_subroutine_type ?
				     "{ll}" : "l");
		break;
	default:
		strcpy(code, unknown);
	}
}

/* What is given back in an unknown way takes nothing from the parameters. */
static void put_result(Dwarf_Die *function, struct enums *enums, char code[static CODE_ROOM])
{
	const char *name = NULL;
	Dwarf_Die type;

	strcpy(code, "v");
	if (!type_of(function, &type, &name))
		return;
	put_type(&type, enums, name, true, code);
	if (strcmp(code, unknown) == 0)
		strcpy(code, "v");
}

/* Write the codes of FUNCTION, an entry that has code, into CODES: of what it gives back, and of
 * each parameter. */
static void type_codes_of(Dwarf_Die *function, struct enums *enums,
			  char codes[static TYPE_CODES_MOST])
{
	char code[CODE_ROOM];
	size_t length;
	Dwarf_Die entry, type;

	put_result(function, enums, codes);
	length = strlen(codes);
	if (dwarf_child(function, &entry) != 0)
		return;
	do {
		const char *name = NULL;

		if (dwarf_tag(&entry) == DW_TAG_unspecified_parameters)
			strcpy(code, unknown);
		else if (dwarf_tag(&entry) != DW_TAG_formal_parameter)
			continue;
		else if (length + 2 * CODE_ROOM > TYPE_CODES_MOST || !type_of(&entry, &type, &name))
			strcpy(code, unknown);
		else
			put_type(&type, enums, name, false, code);
		strcpy(codes + length, code);
		length += strlen(code);
	} while (strcmp(code, unknown) != 0 && dwarf_siblingof(&entry, &entry) == 0);
}

/* What is made of a module. */
struct listing {
	FILE *list;
	struct enums *enums;
	const char *path, *globs;
	struct file_sleds sleds;
	bool has_sleds;
	struct imports imports;
	struct module_files files;
	uint64_t shift;  /* the file's address less that in debug data */
	uint64_t *clone; /* where functions with other parameters are, ascending */
	size_t clones, clone_room;
	char *missing; /* of split debug data, the first, or NULL */
};

/* gcc says so in the symbol's name alone. */
static bool is_clone(const char *name)
{
	return strstr(name, ".isra.") || strstr(name, ".constprop.") || strstr(name, ".part.");
}

static int by_address(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Symbols are BIAS above the file's addresses. */
static void find_clones(struct listing *listing, GElf_Addr bias)
{
	const int count = dwfl_module_getsymtab(listing->files.module);

	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(listing->files.module, i, &symbol,
							   &address, NULL, NULL, NULL);
		uint64_t *grown;

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !is_clone(name))
			continue;
		grown = grow(listing->clone, listing->clones, &listing->clone_room, sizeof(*grown));
		if (!grown)
			break;
		listing->clone = grown;
		listing->clone[listing->clones++] = address - bias;
	}
	if (listing->clones > 0)
		qsort(listing->clone, listing->clones, sizeof(*listing->clone), by_address);
}

static bool matches(const char *globs, const char *name)
{
	return name && wcm__globs_match(globs, name, strlen(name));
}

static bool matches_demangled(const char *globs, const char *linkage)
{
	char *name = linkage ? wcm_name_demangle(linkage) : NULL;
	bool found = matches(globs, name);

	if (name && !found) {
		wcm_name_shorten(name);
		found = matches(globs, name);
	}
	free(name);
	return found;
}

/* Whether FUNCTION is asked for, by a name that --functions knows it by, too. */
static bool is_wanted(const struct listing *listing, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *linkage = NULL;

	if (strcmp(listing->globs, "*") == 0)
		return true;
	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
		linkage = dwarf_formstring(&attribute);
	return matches(listing->globs, dwarf_diename(function)) ||
	       matches(listing->globs, linkage) || matches_demangled(listing->globs, linkage);
}

/* Where FUNCTION begins in the file; false: it has no code, or its parameters are not where the
 * calling convention has them. */
static bool find_entry(const struct listing *listing, Dwarf_Die *function, uint64_t *entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base, high, low;
	Dwarf_Word convention;

	if (dwarf_lowpc(function, &low) != 0 && dwarf_ranges(function, 0, &base, &low, &high) <= 0)
		return false;
	*entry = low + listing->shift;
	if (dwarf_attr(function, DW_AT_calling_convention, &attribute) &&
	    dwarf_formudata(&attribute, &convention) == 0 && convention != DW_CC_normal)
		return false;
	return listing->clones == 0 ||
	       !bsearch(entry, listing->clone, listing->clones, sizeof(*entry), by_address);
}

static void list_function(struct listing *listing, Dwarf_Die *function)
{
	const struct imports *imports = &listing->imports;
	const struct import *import;
	char codes[TYPE_CODES_MOST];
	bool has_sled;
	uint64_t entry;

	if (!find_entry(listing, function, &entry))
		return;
	import = imports_at(imports, entry);
	has_sled = listing->has_sleds && is_wanted(listing, function) &&
		   file_sleds_of(&listing->sleds, entry, UINT64_MAX, 0).why == SLED_IS_THERE;
	if (!has_sled && !import)
		return;
	type_codes_of(function, listing->enums, codes);
	if (has_sled)
		fprintf(listing->list, "%s+0x%" PRIx64 " %s\n", listing->path, entry, codes);
	for (; import && import < imports->import + imports->count && import->at == entry; import++)
		if (matches(listing->globs, import->name))
			fprintf(listing->list, "%s %s\n", import->name, codes);
}

static bool is_c(Dwarf_Die *unit)
{
	enum { C17 = 0x2c, C23 = 0x3e, CXX17 = 0x2a, CXX20 = 0x2b, CXX23 = 0x3a };

	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89: case DW_LANG_C: case DW_LANG_C99: case DW_LANG_C11:
	case DW_LANG_C_plus_plus: case DW_LANG_C_plus_plus_03: case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case C17: case C23: case CXX17: case CXX20: case CXX23:
	case DW_LANG_ObjC: case DW_LANG_ObjC_plus_plus:
		return true;
	default:
		return false;
	}
}

/* Functions are in namespaces, classes and other functions, too. */
static bool may_hold(Dwarf_Die *entry)
{
	switch (dwarf_tag(entry)) {
	case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_subprogram:
	case DW_TAG_lexical_block: case DW_TAG_structure_type: case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static void list_unit(struct listing *listing, Dwarf_Die *unit)
{
	struct entries entries;
	char *missing;

	split_open(unit, &listing->files.split, &missing);
	if (listing->missing)
		free(missing);
	else
		listing->missing = missing;
	if (!is_c(unit))
		return;
	entries = (struct entries){ .die = *unit };
	for (bool below = true; entries_next(&entries, below); below = may_hold(&entries.die))
		if (dwarf_tag(&entries.die) == DW_TAG_subprogram)
			list_function(listing, &entries.die);
}

static void list_units(struct listing *listing)
{
	Dwarf_CU *unit = NULL;
	GElf_Addr bias = 0;
	Dwarf_Die die;
	uint8_t type;

	if (!dwfl_module_getelf(listing->files.module, &bias))
		return;
	listing->shift = listing->files.bias - bias;
	find_clones(listing, bias);
	while (dwarf_get_units(listing->files.dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			list_unit(listing, &die);
	if (listing->missing)
		complain("%s: arguments of some functions are not known: %s", listing->path,
			 listing->missing);
	free(listing->missing);
	free(listing->clone);
}

/* Debug files are looked for where a module has sleds, or what is called of it, alone. */
static void list_debug_data(struct listing *listing)
{
	static const struct build_id any;
	struct debug_folders folders;

	if (!debug_folders_init(&folders, DEBUG_DIR))
		return;
	module_files_open(&listing->files, &folders, listing->path, &any, NULL);
	if (listing->files.dwarf)
		list_units(listing);
	if (listing->files.complaint)
		complain("%s: %s", listing->path, listing->files.complaint);
	else if (listing->files.missing && listing->has_sleds)
		complain("%s: arguments of its functions are not known: it has no debug data",
			 listing->path);
	module_files_close(&listing->files);
	debug_folders_free(&folders);
}

void prototypes_list(FILE *list, struct enums *enums, const char *path, const char *globs,
		     const struct wanted_names *wanted)
{
	struct listing listing = { .list = list, .enums = enums, .path = path, .globs = globs };
	struct elf_file file;
	bool is_listed;

	/* A line of the list has a path. */
	if (strchr(path, '\n') || !elf_file_open(&file, path))
		return;
	imports_read(&listing.imports, &file, wanted);
	listing.has_sleds = hooks_have_sleds(&file, &is_listed) &&
			    !file_sleds_read(&listing.sleds, &file);
	if (listing.has_sleds || listing.imports.count > 0)
		list_debug_data(&listing);
	if (listing.has_sleds)
		file_sleds_free(&listing.sleds);
	imports_free(&listing.imports);
	elf_file_close(&file);
}
