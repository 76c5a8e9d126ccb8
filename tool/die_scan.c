/* SPDX-License-Identifier: MIT */
/* die_scan.c - which entries follow each other in .debug_info?
 *
 * DWARF 5, 7.5: an entry is the number of an abbreviation, which gives its tag and
 * the forms of its attributes, and those attributes' values.  The forms give their
 * sizes.
 */
#include "die_scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug_bytes.h"

struct abbreviation {
	uint64_t code;
	uint32_t first, forms; /* of abbreviations.form */
	uint32_t fixed;        /* bytes of its attributes; or VARIABLE */
	uint16_t tag;
	bool descends, placed;
};

enum { VARIABLE = UINT32_MAX };

struct abbreviations {
	struct debug_bytes entries; /* of the unit */
	struct abbreviation *abbreviation;
	size_t count, room;
	uint16_t *form;
	size_t forms, form_room;
	bool dense; /* number i is at i - 1 */
	uint8_t address_size, offset_size, ref_addr_size;
};

/* The bytes that a value of FORM has, or VARIABLE. */
static uint32_t form_size(const struct abbreviations *abbreviations,
			  uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return abbreviations->address_size;
	case DW_FORM_ref_addr:
		return abbreviations->ref_addr_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return abbreviations->offset_size;
	default:
		return VARIABLE;
	}
}

/* Pass over a value of FORM whose size is in the value itself. */
static bool skip_variable(uint64_t form, struct debug_bytes *bytes)
{
	switch (form) {
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		debug_uleb(bytes);
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return debug_skip(bytes, debug_uleb(bytes));
	case DW_FORM_block1:
		return debug_skip(bytes, debug_fixed(bytes, 1));
	case DW_FORM_block2:
		return debug_skip(bytes, debug_fixed(bytes, 2));
	case DW_FORM_block4:
		return debug_skip(bytes, debug_fixed(bytes, 4));
	case DW_FORM_string:
		return debug_text(bytes) != NULL;
	default:
		return false;
	}
}

static bool skip_form(const struct abbreviations *abbreviations, uint64_t form,
		      struct debug_bytes *bytes)
{
	uint32_t size;

	/* The form stands before the value.  It cannot be indirect again. */
	if (form == DW_FORM_indirect) {
		form = debug_uleb(bytes);
		if (form == DW_FORM_implicit_const)
			return false;
	}
	size = form_size(abbreviations, form);
	return size == VARIABLE ? skip_variable(form, bytes) :
				  debug_skip(bytes, size);
}

static bool add_form(struct abbreviations *abbreviations, uint64_t form)
{
	if (abbreviations->forms == abbreviations->form_room) {
		size_t room = abbreviations->form_room ?
				      2 * abbreviations->form_room :
				      256;
		uint16_t *grown = reallocarray(abbreviations->form, room,
					       sizeof(*grown));

		if (!grown)
			return false;
		abbreviations->form = grown;
		abbreviations->form_room = room;
	}
	/* What is no form at all is not known by its low bits either. */
	abbreviations->form[abbreviations->forms++] =
		form < UINT16_MAX ? (uint16_t)form : UINT16_MAX;
	return true;
}

/* The attributes of ABBREVIATION, until a pair of zeros. */
static bool read_attributes(struct abbreviations *abbreviations,
			    struct abbreviation *abbreviation,
			    struct debug_bytes *bytes)
{
	abbreviation->first = (uint32_t)abbreviations->forms;
	while (bytes->at < bytes->end) {
		uint64_t name = debug_uleb(bytes), form = debug_uleb(bytes);
		uint32_t size;

		if (name == 0 && form == 0) {
			abbreviation->forms = (uint32_t)(abbreviations->forms -
							 abbreviation->first);
			return true;
		}
		if (form == DW_FORM_implicit_const)
			debug_uleb(bytes);
		if (name == DW_AT_low_pc || name == DW_AT_ranges)
			abbreviation->placed = true;
		size = form_size(abbreviations, form);
		if (size == VARIABLE || abbreviation->fixed == VARIABLE)
			abbreviation->fixed = VARIABLE;
		else
			abbreviation->fixed += size;
		if (!add_form(abbreviations, form))
			return false;
	}
	return false;
}

static struct abbreviation *add_abbreviation(struct abbreviations *all)
{
	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 128;
		struct abbreviation *grown =
			reallocarray(all->abbreviation, room, sizeof(*grown));

		if (!grown)
			return NULL;
		all->abbreviation = grown;
		all->room = room;
	}
	return memset(&all->abbreviation[all->count++], 0,
		      sizeof(*all->abbreviation));
}

static int by_code(const void *left, const void *right)
{
	const struct abbreviation *a = left, *b = right;

	return (a->code > b->code) - (a->code < b->code);
}

static bool read_table(struct abbreviations *all, struct debug_bytes bytes)
{
	uint64_t code;

	all->dense = true;
	while ((code = debug_uleb(&bytes)) != 0) {
		struct abbreviation *one = add_abbreviation(all);

		if (!one)
			return false;
		one->code = code;
		one->tag = (uint16_t)debug_uleb(&bytes);
		one->descends = debug_fixed(&bytes, 1) != 0;
		if (!read_attributes(all, one, &bytes))
			return false;
		all->dense = all->dense && code == all->count;
	}
	if (!all->dense)
		qsort(all->abbreviation, all->count, sizeof(*all->abbreviation),
		      by_code);
	return true;
}

/* The entries of UNIT: until the next unit, or the section's end.  Empty where they
 * cannot be. */
static struct debug_bytes entries_of(Dwarf_Die *unit, Dwarf *dwarf)
{
	struct debug_bytes entries = debug_section(dwarf, "info");
	const uint8_t *start = entries.at, *entry = unit->addr;
	Dwarf_Off header = dwarf_dieoffset(unit) - dwarf_cuoffset(unit), next;
	size_t size;

	if (!start || entry < start || entry >= entries.end) {
		entries.at = entries.end;
		return entries;
	}
	entries.at = entry;
	if (dwarf_nextcu(dwarf, header, &next, &size, NULL, NULL, NULL) == 0 &&
	    next > (size_t)(entry - start) &&
	    next < (size_t)(entries.end - start))
		entries.end = start + next;
	return entries;
}

struct abbreviations *abbreviations_read(const Dwarf_Die *unit_die)
{
	struct abbreviations *all = calloc(1, sizeof(*all));
	Dwarf_Die unit = *unit_die, again;
	Dwarf *dwarf = dwarf_cu_getdwarf(unit.cu);
	struct debug_bytes bytes = debug_section(dwarf, "abbrev");
	Dwarf_Half version;
	Dwarf_Off offset;

	if (all && dwarf_cu_die(unit.cu, &again, &version, &offset,
				&all->address_size, &all->offset_size, NULL,
				NULL)) {
		all->ref_addr_size = version < 3 ? all->address_size :
						   all->offset_size;
		all->entries = entries_of(&unit, dwarf);
		if (debug_skip(&bytes, offset) && read_table(all, bytes))
			return all;
	}
	abbreviations_free(all);
	return NULL;
}

void abbreviations_free(struct abbreviations *abbreviations)
{
	if (!abbreviations)
		return;
	free(abbreviations->abbreviation);
	free(abbreviations->form);
	free(abbreviations);
}

static const struct abbreviation *
abbreviation_of(const struct abbreviations *all, uint64_t code)
{
	const struct abbreviation key = { .code = code };

	if (all->dense)
		return code - 1 < all->count ? &all->abbreviation[code - 1] :
					       NULL;
	return bsearch(&key, all->abbreviation, all->count, sizeof(key),
		       by_code);
}

void die_scan_begin(struct die_scan *scan,
		    const struct abbreviations *abbreviations,
		    const void *start)
{
	memset(scan, 0, sizeof(*scan));
	scan->abbreviations = abbreviations;
	scan->bytes = abbreviations->entries;
	scan->bytes.at = start;
}

static bool skip_attributes(struct die_scan *scan,
			    const struct abbreviation *abbreviation)
{
	const uint16_t *form =
		&scan->abbreviations->form[abbreviation->first];

	if (abbreviation->fixed != VARIABLE)
		return debug_skip(&scan->bytes, abbreviation->fixed);
	for (uint32_t i = 0; i < abbreviation->forms; i++) {
		if (!skip_form(scan->abbreviations, form[i],
			       &scan->bytes))
			return false;
	}
	return true;
}

/* Go to the next entry: below the last one, beside it, or beside one above.  False
 * where the first one's end is. */
static bool advance(struct die_scan *scan)
{
	if (!scan->begun) {
		scan->begun = true;
		return true;
	}
	if (scan->descends)
		scan->depth++;
	/* A zero ends the children of the entry one level up. */
	while (scan->depth > 0 && debug_left(&scan->bytes) > 0 &&
	       *scan->bytes.at == 0) {
		scan->bytes.at++;
		scan->depth--;
	}
	return scan->depth > 0;
}

bool die_scan_next(struct die_scan *scan, struct die_seen *seen)
{
	const struct abbreviation *abbreviation;

	if (!advance(scan) || debug_left(&scan->bytes) == 0)
		return false;
	seen->start = (uint8_t *)scan->bytes.at;
	seen->depth = scan->depth;
	abbreviation = abbreviation_of(scan->abbreviations,
				       debug_uleb(&scan->bytes));
	if (!abbreviation || !skip_attributes(scan, abbreviation)) {
		scan->bytes.at = scan->bytes.end;
		return false;
	}
	seen->tag = abbreviation->tag;
	seen->placed = abbreviation->placed;
	scan->descends = abbreviation->descends;
	return true;
}
