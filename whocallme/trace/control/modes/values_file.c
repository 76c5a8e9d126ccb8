/* SPDX-License-Identifier: MIT */
/* values_file.c - writes of what kinds the values of a module's functions are, as uftrace reads it.
 *
 *	E: enum color {RED=0,GREEN=5}
 *	F: 1136 mix
 *	#C: iE0id
 *	A: @arg1/e:color,fparg1/64
 *	R: @retval/d32
 *
 * A line of codes, as trace/values/prototype.h has them, is a comment for uftrace; enumerations of
 * bits are followed by #B.  uftrace makes such files of debug data.  Functions are known by their
 * addresses there, so that those of the same name may differ.
 */
#include "trace/control/modes/values_file.h"

#include <inttypes.h>

#include "core/symbols/slot_names.h"
#include "trace/control/modes/record_session.h"
#include "trace/filter/known_values.h"
#include "trace/names/system_slots.h"
#include "trace/values/enumeration.h"
#include "trace/values/value_data.h"
#include "trace/values/worded_data.h"
#include "whocallme/symbol.h"

static struct wcm_known_values values_of(const struct wcm_known_module *module)
{
	return wcm__known_values_between(module->map.lo, module->map.hi);
}

/* The codes of what is known by SLOT; NULL: none are. */
static const char *codes_of(const struct wcm_slot_name *slot)
{
	if (slot->is_probe)
		return WCM_PROBE_CODES;
	return wcm__is_system_address(slot->at) ? WCM_SYSTEM_CODES : slot->prototype;
}

/* Those that are known of MODULE's calls into others, of system calls and probes. */
static void visit_slots(const struct wcm_known_module *module,
			void (*tell)(const struct wcm_slot_name *slot, void *data), void *data)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		for (size_t i = 0; i < names->count; i++) {
			const struct wcm_slot_name *slot = &names->slot[i];

			if (codes_of(slot) && slot->at >= module->map.lo &&
			    slot->at < module->map.hi)
				tell(slot, data);
		}
}

static void count(const struct wcm_slot_name *slot, void *data)
{
	(void)slot;
	++*(size_t *)data;
}

bool wcm__values_file_is_needed(const struct wcm_known_module *module)
{
	size_t slots = 0;

	visit_slots(module, count, &slots);
	return slots > 0 || values_of(module).count > 0;
}

static void write_enumerations(FILE *file)
{
	const struct wcm_enumeration *names;

	for (size_t i = 0; (names = wcm__enumeration_get(i)); i++) {
		fprintf(file, "E: enum %s {", names->name);
		for (size_t k = 0; k < names->count; k++)
			fprintf(file, "%s%s=%" PRId64, k > 0 ? "," : "",
				names->enumerator[k].name, names->enumerator[k].value);
		fputs(names->are_flags ? "}\n#B\n" : "}\n", file);
	}
}

static void write_spec(FILE *file, char letter, wcm_value_spec_maker *make, const char *codes)
{
	char text[WCM_VALUE_SPEC_ROOM];
	const size_t size = make(text, codes);

	if (size > 0)
		fprintf(file, "%c: @%.*s\n", letter, (int)size, text);
}

static void write_function(FILE *file, uintptr_t offset, const char *name, const char *codes)
{
	fprintf(file, "F: %" PRIxPTR " %s\n#C: %s\n", offset, name, codes);
	write_spec(file, 'A', wcm__value_spec_arguments, codes);
	write_spec(file, 'R', wcm__value_spec_result, codes);
}

/* A file that is written. */
struct writing {
	FILE *file;
	const struct wcm_known_module *module;
};

static void write_slot(const struct wcm_slot_name *slot, void *data)
{
	const struct writing *writing = data;

	write_function(writing->file, slot->at - writing->module->map.lo,
		       wcm__session_symbol(slot), codes_of(slot));
}

void wcm__values_file_write(FILE *file, const struct wcm_known_module *module)
{
	const struct wcm_known_values values = values_of(module);
	struct writing writing = { file, module };

	write_enumerations(file);
	for (size_t i = 0; i < values.count; i++) {
		const struct wcm_known_value *value = &values.value[i];
		struct wcm_symbol symbol;
		const bool is_named = wcm_symbol_peek(value->at, &symbol) == WCM_OK;

		write_function(file, value->at - module->map.lo, is_named ? symbol.name : "?",
			       value->codes);
	}
	visit_slots(module, write_slot, &writing);
}
