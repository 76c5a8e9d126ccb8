/* SPDX-License-Identifier: MIT */
/* die_scan.c - which entries follow each other in .debug_info?
 *
 * DWARF 5, 7.5: an entry is the number of an abbreviation, which gives its tag and
 * the forms of its attributes, and those attributes' values.  The forms give their
 * sizes.
 */
#include "die_scan.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct abbreviation {
	uint64_t code;
	uint32_t first, forms; /* of abbreviations.form */
	uint32_t fixed;        /* bytes of its attributes; or VARIABLE */
	uint16_t tag;
	bool descends, placed;
};

enum { VARIABLE = UINT32_MAX };

struct abbreviations {
	const uint8_t *end; /* of the unit */
	struct abbreviation *abbreviation;
	size_t count, room;
	uint16_t *form;
	size_t forms, form_room;
	bool dense; /* number i is at i - 1 */
	uint8_t address_size, offset_size, ref_addr_size;
};

/* The bytes of a section, all of them behind AT; *AT is left at the end where a
 * number does not end. */
static uint64_t uleb(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

static bool section_is(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	if (strncmp(name, ".debug_", 7) == 0)
		name += 7;
	else if (strncmp(name, ".zdebug_", 8) == 0)
		name += 8;
	else
		return false;
	return strncmp(name, wanted, length) == 0 &&
	       (!name[length] || strcmp(name + length, ".dwo") == 0);
}

/* The section of DWARF called WANTED, as libdw has it: it has decompressed and
 * relocated it in its place. */
static Elf_Data *section(Dwarf *dwarf, const char *wanted)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &header) ||
		    header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && section_is(name, wanted))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

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

static bool skip(const uint8_t **at, const uint8_t *end, uint64_t size)
{
	if (size > (uint64_t)(end - *at))
		return false;
	*at += size;
	return true;
}

/* A block, behind the SIZE bytes of its length. */
static bool skip_block(const uint8_t **at, const uint8_t *end, unsigned size)
{
	uint64_t length = 0;

	if ((size_t)(end - *at) < size)
		return false;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&length, *at, size);
#else
	memcpy((uint8_t *)&length + sizeof(length) - size, *at, size);
#endif
	*at += size;
	return skip(at, end, length);
}

/* Pass over a value of FORM whose size is in the value itself. */
static bool skip_variable(const struct abbreviations *abbreviations,
			  uint64_t form, const uint8_t **at)
{
	const uint8_t *end = abbreviations->end;

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
		uleb(at, end);
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return skip(at, end, uleb(at, end));
	case DW_FORM_block1:
		return skip_block(at, end, 1);
	case DW_FORM_block2:
		return skip_block(at, end, 2);
	case DW_FORM_block4:
		return skip_block(at, end, 4);
	case DW_FORM_string:
		return skip(at, end,
			    strnlen((const char *)*at, (size_t)(end - *at)) + 1);
	default:
		return false;
	}
}

static bool skip_form(const struct abbreviations *abbreviations, uint64_t form,
		      const uint8_t **at)
{
	uint32_t size;

	/* The form stands before the value.  It cannot be indirect again. */
	if (form == DW_FORM_indirect) {
		form = uleb(at, abbreviations->end);
		if (form == DW_FORM_implicit_const)
			return false;
	}
	size = form_size(abbreviations, form);
	return size == VARIABLE ? skip_variable(abbreviations, form, at) :
				  skip(at, abbreviations->end, size);
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
			    const uint8_t **at, const uint8_t *end)
{
	abbreviation->first = (uint32_t)abbreviations->forms;
	while (*at < end) {
		uint64_t name = uleb(at, end), form = uleb(at, end);
		uint32_t size;

		if (name == 0 && form == 0) {
			abbreviation->forms = (uint32_t)(abbreviations->forms -
							 abbreviation->first);
			return true;
		}
		if (form == DW_FORM_implicit_const)
			uleb(at, end);
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

static bool read_table(struct abbreviations *all, const uint8_t *at,
		       const uint8_t *end)
{
	uint64_t code;

	all->dense = true;
	while (at < end && (code = uleb(&at, end)) != 0) {
		struct abbreviation *one = add_abbreviation(all);

		if (!one)
			return false;
		one->code = code;
		one->tag = (uint16_t)uleb(&at, end);
		one->descends = at < end && *at++;
		if (!read_attributes(all, one, &at, end))
			return false;
		all->dense = all->dense && code == all->count;
	}
	if (!all->dense)
		qsort(all->abbreviation, all->count, sizeof(*all->abbreviation),
		      by_code);
	return true;
}

/* Where the entries of UNIT end: the next unit, or the section's end. */
static const uint8_t *unit_end(Dwarf_Die *unit, Dwarf *dwarf)
{
	Elf_Data *info = section(dwarf, "info");
	const uint8_t *entry = unit->addr, *start, *end;
	Dwarf_Off header, next;
	size_t size;

	if (!info || !info->d_buf)
		return NULL;
	start = info->d_buf;
	end = start + info->d_size;
	if (entry < start || entry >= end)
		return NULL;
	header = dwarf_dieoffset(unit) - dwarf_cuoffset(unit);
	if (dwarf_nextcu(dwarf, header, &next, &size, NULL, NULL, NULL) != 0 ||
	    next > info->d_size || start + next <= entry)
		return end;
	return start + next;
}

struct abbreviations *abbreviations_read(const Dwarf_Die *unit_die)
{
	struct abbreviations *all = calloc(1, sizeof(*all));
	Dwarf_Die unit = *unit_die, again;
	Dwarf *dwarf = dwarf_cu_getdwarf(unit.cu);
	Elf_Data *data = section(dwarf, "abbrev");
	const uint8_t *bytes = data ? data->d_buf : NULL;
	Dwarf_Half version;
	Dwarf_Off offset;

	if (!all || !bytes ||
	    !dwarf_cu_die(unit.cu, &again, &version, &offset,
			  &all->address_size, &all->offset_size, NULL, NULL) ||
	    offset >= data->d_size)
		goto unreadable;
	all->ref_addr_size = version < 3 ? all->address_size : all->offset_size;
	all->end = unit_end(&unit, dwarf);
	if (all->end && read_table(all, bytes + offset, bytes + data->d_size))
		return all;
unreadable:
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
	scan->at = start;
	scan->end = abbreviations->end;
}

static bool skip_attributes(struct die_scan *scan,
			    const struct abbreviation *abbreviation)
{
	const uint16_t *form =
		&scan->abbreviations->form[abbreviation->first];

	if (abbreviation->fixed != VARIABLE)
		return skip(&scan->at, scan->end, abbreviation->fixed);
	for (uint32_t i = 0; i < abbreviation->forms; i++) {
		if (!skip_form(scan->abbreviations, form[i], &scan->at))
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
	while (scan->depth > 0 && scan->at < scan->end && *scan->at == 0) {
		scan->at++;
		scan->depth--;
	}
	return scan->depth > 0;
}

bool die_scan_next(struct die_scan *scan, struct die_seen *seen)
{
	const struct abbreviation *abbreviation;

	if (!advance(scan) || scan->at >= scan->end)
		return false;
	seen->start = (uint8_t *)scan->at;
	seen->depth = scan->depth;
	abbreviation = abbreviation_of(scan->abbreviations,
				       uleb(&scan->at, scan->end));
	if (!abbreviation || !skip_attributes(scan, abbreviation)) {
		scan->at = scan->end;
		return false;
	}
	seen->tag = abbreviation->tag;
	seen->placed = abbreviation->placed;
	scan->descends = abbreviation->descends;
	return true;
}
