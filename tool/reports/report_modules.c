/* SPDX-License-Identifier: MIT */
/* report_modules.c - finds where in a module of a report a frame lies.
 *
 * A report may be anybody's, with as many modules as frames: each frame's is searched
 * for in an array that is sorted.
 */
#include "reports/report_modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

bool report_hex(const json_t *object, const char *name, uint64_t *number)
{
	const char *text = json_string_value(json_object_get(object, name)), *end;

	return text && address_number(text, number, &end) && *end == '\0';
}

static int by_path(const void *a, const void *b)
{
	const struct loaded *left = a, *right = b;
	const int order = strcmp(left->path, right->path);

	return order ? order : (left->start > right->start) - (left->start < right->start);
}

bool loaded_add(struct loaded_modules *modules, const struct loaded *module)
{
	struct loaded *grown = grow(modules->loaded, modules->count, &modules->room,
				    sizeof(*grown));

	if (!grown)
		return false;
	modules->loaded = grown;
	modules->loaded[modules->count++] = *module;
	return true;
}

void loaded_sort(struct loaded_modules *modules)
{
	if (modules->count > 0)
		qsort(modules->loaded, modules->count, sizeof(struct loaded), by_path);
}

struct loaded_modules loaded_read(const json_t *report)
{
	struct loaded_modules modules = { NULL, 0, 0 };
	const json_t *module;
	size_t i;

	json_array_foreach(json_object_get(report, "modules"), i, module) {
		struct loaded loaded = {
			.path = json_string_value(json_object_get(module, "path")),
			.build_id = json_string_value(
				json_object_get(module, "build_id")),
		};

		report_hex(module, "bias", &loaded.bias);
		if (loaded.path && report_hex(module, "start", &loaded.start) &&
		    report_hex(module, "end", &loaded.end) &&
		    !loaded_add(&modules, &loaded))
			break;
	}
	loaded_sort(&modules);
	return modules;
}

void loaded_free(struct loaded_modules *modules)
{
	free(modules->loaded);
	*modules = (struct loaded_modules){ NULL, 0, 0 };
}

/* How many come before a module at PATH that would begin behind PC. */
static size_t count_before(const struct loaded_modules *modules, const char *path,
			   uint64_t pc)
{
	size_t lo = 0, hi = modules->count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;
		const struct loaded *module = &modules->loaded[middle];
		const int order = strcmp(module->path, path);

		if (order < 0 || (order == 0 && module->start <= pc))
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

const struct loaded *loaded_at(const struct loaded_modules *modules, const char *path,
			       uint64_t pc)
{
	const size_t before = count_before(modules, path, pc);
	const struct loaded *found = before > 0 ? &modules->loaded[before - 1] : NULL;

	return found && pc <= found->end && strcmp(found->path, path) == 0 ? found : NULL;
}

const struct loaded *loaded_as(const struct loaded_modules *modules, const char *path)
{
	const size_t before = count_before(modules, path, UINT64_MAX);

	return before > 0 && strcmp(modules->loaded[before - 1].path, path) == 0 ?
		       &modules->loaded[before - 1] :
		       NULL;
}

bool frame_address(const struct report_frame *frame,
		   const struct loaded_modules *modules, struct address *address)
{
	const struct loaded *module =
		frame->path ? loaded_at(modules, frame->path, frame->pc) : NULL;
	uint64_t pc = frame->module_offset;

	/* An older library's text says only where the module was loaded. */
	if (!frame->has_module_offset && module)
		pc = frame->pc - module->bias;
	else if (!frame->has_module_offset)
		return false;
	*address = (struct address){ .path = frame->path };
	address->address = pc - (!frame->exact && pc > 0);
	if (module && module->build_id)
		address_build_id(address, module->build_id, strlen(module->build_id));
	if (frame->name && address->build_id_size == 0)
		address->function = pc - frame->offset;
	/* [vdso] and the like have no file. */
	return frame->path && (strchr(frame->path, '/') || address->build_id_size > 0);
}
