/* SPDX-License-Identifier: MIT */
/* cmd_functions.c - `whocallme functions`: the functions of a file. */
#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "format/json.h"
#include "format/probe_note.h"
#include "modules/build_id.h"
#include "modules/file_sleds.h"

/* What `whocallme functions --sleds` says of a function's sled. */

static const struct {
	const char *word, *text;
} reasons[] = {
	[SLED_NO_NOPS] = { "no-nops", "no NOPs at its entry" },
	[SLED_IN_FRONT] = { "in-front", "all NOPs are in front of its entry, no jump fits there" },
	[SLED_SHORT] = { "short", "fewer bytes of NOPs than a call" },
	[SLED_UNKNOWN] = { "unknown", "listed, but no NOPs of a known form" },
	[SLED_COLD] = { "cold", "a part that is split off" },
	[SLED_PLT] = { "plt", "a PLT stub" },
	[SLED_IFUNC] = { "ifunc", "chooses an implementation (IFUNC)" },
	[SLED_NO_CODE] = { "no-code", "its code is not in this file" },
	[SLED_NO_PORT] = { "no-port", "sleds of this CPU are not known" },
};

/* The size of the NOP at AT, or of what has taken its place; 0 where the sled ends. */
static size_t nop_size(const struct function_sled *sled, size_t at)
{
	size_t length;

	if (at >= sled->size || at >= SLED_BYTES)
		return 0;
	length = wcm__sled_code_nop(sled->code + at, sled->size - at);
	if (length == 0)
		length = wcm__sled_code_landing(sled->code + at, sled->size - at);
	return length > 0 ? length :
			    wcm__sled_code_call_size(sled->code + at, sled->size - at);
}

static const char *place_of(const struct function_sled *sled)
{
	return sled->is_front ? "front" : sled->at_entry ? "entry" : "frame";
}

/* Behind the function's name: where it is and its NOPs, or why there is none. */
static void sled_print(const struct function_sled *sled)
{
	if (sled->why != SLED_IS_THERE) {
		printf(": none: %s", reasons[sled->why].text);
		if (sled->why == SLED_SHORT || sled->why == SLED_IN_FRONT)
			printf(" (%zu)", sled->size);
		return;
	}
	printf(": %s %016" PRIx64 " %zu ", place_of(sled), sled->address, sled->size);
	for (size_t at = 0, size; (size = nop_size(sled, at)) > 0; at += size) {
		fputs(at > 0 ? " " : "", stdout);
		for (size_t i = 0; i < size; i++)
			printf("%02x", sled->code[at + i]);
	}
}

/* The same as a member of the function's object. */
static void sled_json(struct wcm_json *json, const struct function_sled *sled)
{
	if (sled->why != SLED_IS_THERE) {
		wcm__json_text(json, "no_sled", reasons[sled->why].word);
		if (sled->why == SLED_SHORT || sled->why == SLED_IN_FRONT)
			wcm__json_unsigned(json, "nops_size", sled->size);
		return;
	}
	wcm__json_open(json, "sled", '{');
	wcm__json_hex(json, "address", sled->address);
	wcm__json_unsigned(json, "size", sled->size);
	wcm__json_text(json, "place", place_of(sled));
	wcm__json_bool(json, "listed", sled->is_listed);
	wcm__json_open(json, "nops", '[');
	for (size_t at = 0, size; (size = nop_size(sled, at)) > 0; at += size)
		wcm__json_bytes(json, NULL, sled->code + at, size);
	wcm__json_close(json, ']');
	wcm__json_close(json, '}');
}

/* Lists the static probes of a file, for `whocallme functions --probes`.
 *
 * Addresses are where the file has them now, though prelink(8) may have moved it since it was
 * linked. */

typedef void probe_teller(struct wcm_json *json, const struct wcm_probe_note *note);

/* The section NAME of FILE; NULL: it has none. */
static Elf_Scn *find_section(const struct elf_file *file, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		const char *its = gelf_getshdr(section, header) ?
					  elf_strptr(file->elf, names, header->sh_name) : NULL;

		if (its && strcmp(its, name) == 0)
			return section;
	}
	return NULL;
}

static void visit(struct wcm_json *json, const struct elf_file *file, probe_teller *tell)
{
	const size_t word = gelf_getclass(file->elf) == ELFCLASS32 ? 4 : 8;
	GElf_Shdr header, base = { 0 };
	Elf_Scn *section = find_section(file, ".note.stapsdt", &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const bool has_base = find_section(file, ".stapsdt.base", &base);
	struct wcm_probe_note note;
	size_t offset = 0;

	while (data && data->d_buf &&
	       wcm__probe_note_next(data->d_buf, data->d_size, word, &offset, &note)) {
		const uint64_t moved = has_base ? base.sh_addr - note.base : 0;

		note.at += moved;
		note.semaphore += note.semaphore != 0 ? moved : 0;
		tell(json, &note);
	}
}

static void print(struct wcm_json *json, const struct wcm_probe_note *note)
{
	(void)json;
	printf("%016" PRIx64 " ", note->at);
	escape_text(stdout, note->provider);
	putchar(':');
	escape_text(stdout, note->name);
	if (*note->values)
		putchar(' ');
	escape_text(stdout, note->values);
	if (note->semaphore != 0)
		printf(" [semaphore %" PRIx64 "]", note->semaphore);
	putchar('\n');
}

static void print_json(struct wcm_json *json, const struct wcm_probe_note *note)
{
	wcm__json_open(json, NULL, '{');
	wcm__json_hex(json, "address", note->at);
	wcm__json_name(json, "provider", note->provider);
	wcm__json_name(json, "name", note->name);
	wcm__json_name(json, "values", note->values);
	if (note->semaphore != 0)
		wcm__json_hex(json, "semaphore", note->semaphore);
	wcm__json_close(json, '}');
}

enum { OPTION_SLEDS = OPTION_LONG, OPTION_PROBES };

struct options {
	bool all, demangle, json, sleds, probes;
	bool several; /* files: say which is which */
	uint64_t *address;
	size_t address_count;
};

/* NAME as OPTIONS want it, the caller's to free. */
static char *shown_name(const struct options *options, const char *name)
{
	char *plain = options->demangle ? wcm_name_demangle(name) : NULL;

	return plain ? plain : strdup(name);
}

static void print_name(const struct options *options, const char *name,
		       uint32_t flags)
{
	char *shown = shown_name(options, name);

	escape_text(stdout, shown ? shown : name);
	if (flags & (WCM_SYMBOL_COLD | WCM_SYMBOL_PART))
		fputs(flags & WCM_SYMBOL_COLD ? " [cold]" : " [part]", stdout);
	free(shown);
}

static bool is_listed(const struct options *options,
		      const struct wcm_function *function)
{
	return options->all || !function->alias;
}

/* Where the symbol behind FUNCTION is, number INDEX in order of address. */
static uint64_t next_of(const struct wcm_functions *functions, size_t index,
			const struct wcm_function *function)
{
	while (++index < wcm_functions_count(functions)) {
		const uint64_t address = wcm_functions_get(functions, index).address;

		if (address > function->address)
			return address;
	}
	return UINT64_MAX;
}

/* That of FUNCTION, number INDEX.  A lookup of its address tells whether it is a part. */
static struct function_sled sled_of(struct file_sleds *sleds,
				    const struct wcm_functions *functions, size_t index,
				    const struct wcm_function *function)
{
	uint32_t flags = function->flags;
	struct wcm_function found;

	if (wcm_functions_find(functions, function->address, &found))
		flags |= found.flags & (WCM_SYMBOL_COLD | WCM_SYMBOL_PART);
	return file_sleds_of(sleds, function->address, next_of(functions, index, function),
			     flags);
}

/* Those of functions whose symbols are not to be had. */
static void print_unnamed(const struct file_sleds *sleds)
{
	struct function_sled sled;

	for (size_t i = 0; i < sleds->listed_count; i++) {
		if (sleds->is_named[i])
			continue;
		sled = file_sleds_listed(sleds, i);
		printf("%016" PRIx64 " ??", sleds->listed[i]);
		sled_print(&sled);
		putchar('\n');
	}
}

static void print_list(const struct options *options,
		       const struct wcm_functions *functions,
		       struct file_sleds *sleds)
{
	for (size_t i = 0; i < wcm_functions_count(functions); i++) {
		struct wcm_function function = wcm_functions_get(functions, i);
		struct function_sled sled;

		if (!is_listed(options, &function))
			continue;
		terminal_colour(COLOUR_DIM);
		printf("%016" PRIx64 " ", function.address);
		if (!sleds)
			printf("%016" PRIx64 " ", function.size);
		terminal_colour(COLOUR_NONE);
		print_name(options, function.name, function.flags);
		if (sleds) {
			sled = sled_of(sleds, functions, i, &function);
			sled_print(&sled);
		}
		putchar('\n');
	}
}

static void print_addresses(const struct options *options,
			    const struct wcm_functions *functions)
{
	for (size_t i = 0; i < options->address_count; i++) {
		uint64_t address = options->address[i];
		struct wcm_function function;

		printf("%016" PRIx64 " ", address);
		if (wcm_functions_find(functions, address, &function)) {
			print_name(options, function.name, function.flags);
			printf("+0x%" PRIx64 "\n", address - function.address);
		} else {
			puts("??");
		}
	}
}

static void json_name(struct wcm_json *json, const struct options *options, const char *name)
{
	char *shown = shown_name(options, name);

	wcm__json_name(json, "name", shown ? shown : name);
	free(shown);
}

static void json_flags(struct wcm_json *json, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ WCM_SYMBOL_PLT, "plt" },
		{ WCM_SYMBOL_COLD, "cold" },
		{ WCM_SYMBOL_PART, "part" },
		{ WCM_SYMBOL_IFUNC, "ifunc" },
		{ WCM_SYMBOL_UNSIZED, "unsized" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags & names[i].flag)
			wcm__json_bool(json, names[i].name, true);
}

static void json_function(struct wcm_json *json, const struct options *options,
			  const struct wcm_function *function)
{
	wcm__json_hex(json, "address", function->address);
	wcm__json_unsigned(json, "size", function->size);
	json_name(json, options, function->name);
	json_flags(json, function->flags);
	if (function->alias)
		wcm__json_bool(json, "alias", true);
}

static void json_unnamed(struct wcm_json *json, const struct file_sleds *sleds)
{
	struct function_sled sled;

	for (size_t i = 0; i < sleds->listed_count; i++) {
		if (sleds->is_named[i])
			continue;
		sled = file_sleds_listed(sleds, i);
		wcm__json_open(json, NULL, '{');
		wcm__json_hex(json, "address", sleds->listed[i]);
		sled_json(json, &sled);
		wcm__json_close(json, '}');
	}
}

static void json_list(struct wcm_json *json, const struct options *options,
		      const struct wcm_functions *functions, struct file_sleds *sleds)
{
	wcm__json_open(json, "functions", '[');
	for (size_t i = 0; functions && i < wcm_functions_count(functions); i++) {
		struct wcm_function function = wcm_functions_get(functions, i);
		struct function_sled sled;

		if (!is_listed(options, &function))
			continue;
		wcm__json_open(json, NULL, '{');
		json_function(json, options, &function);
		if (sleds) {
			sled = sled_of(sleds, functions, i, &function);
			sled_json(json, &sled);
		}
		wcm__json_close(json, '}');
	}
	if (sleds)
		json_unnamed(json, sleds);
	wcm__json_close(json, ']');
}

static void json_addresses(struct wcm_json *json, const struct options *options,
			   const struct wcm_functions *functions)
{
	wcm__json_open(json, "addresses", '[');
	for (size_t i = 0; i < options->address_count; i++) {
		uint64_t address = options->address[i];
		struct wcm_function function;

		wcm__json_open(json, NULL, '{');
		wcm__json_hex(json, "address", address);
		if (wcm_functions_find(functions, address, &function)) {
			json_name(json, options, function.name);
			wcm__json_unsigned(json, "offset", address - function.address);
			json_flags(json, function.flags);
		}
		wcm__json_close(json, '}');
	}
	wcm__json_close(json, ']');
}

static void json_begin(struct wcm_json *json, const char *path)
{
	wcm__json_init_for(json, WCM_ESCAPE_JSON, words_to_stdout);
	wcm__json_open(json, NULL, '{');
	wcm__json_number(json, "version", 1);
	wcm__json_name(json, "file", path);
}

static void json_end(struct wcm_json *json)
{
	wcm__json_close(json, '}');
	wcm__json_finish(json);
}

static void json_file(const struct options *options, const char *path,
		      const struct wcm_functions *functions, struct file_sleds *sleds)
{
	struct wcm_json json;
	size_t size = 0;
	const uint8_t *build_id = functions ? wcm_functions_build_id(functions, &size) : NULL;

	json_begin(&json, path);
	if (build_id)
		wcm__json_bytes(&json, "build_id", build_id, size);
	if (options->address_count > 0)
		json_addresses(&json, options, functions);
	else
		json_list(&json, options, functions, sleds);
	json_end(&json);
}

static void title(const struct options *options, const char *path)
{
	if (!options->several)
		return;
	putchar('\n');
	escape_text(stdout, path);
	puts(":");
}

static void text_file(const struct options *options, const char *path,
		      const struct wcm_functions *functions, struct file_sleds *sleds)
{
	title(options, path);
	if (options->address_count > 0)
		print_addresses(options, functions);
	else if (functions)
		print_list(options, functions, sleds);
	if (sleds)
		print_unnamed(sleds);
}

static int fail(const char *path, enum wcm_status status, int error)
{
	fflush(stdout);
	if (status == WCM_EOPEN && error)
		complain("%s: %s", path, strerror(error));
	else if (status == WCM_ENOSYMS)
		complain("%s: no symbols; if it was stripped, install its debug file",
			 path);
	else
		complain("%s: %s", path,
			 wcm_status_text(status == WCM_EOPEN ? WCM_ENOTOBJECT : status));
	return EXIT_PARTLY;
}

static void show(const struct options *options, const char *path,
		 const struct wcm_functions *functions, struct file_sleds *sleds)
{
	if (options->json)
		json_file(options, path, functions, sleds);
	else
		text_file(options, path, functions, sleds);
}

/* The same with its sleds, which are listed without symbols, too: no FUNCTIONS then, and
 * STATUS says why. */
static int show_sleds(const struct options *options, const char *path,
		      const struct wcm_functions *functions, enum wcm_status status)
{
	struct file_sleds sleds;
	struct elf_file file;
	int result = EXIT_PARTLY;
	const char *wrong;

	if (!elf_file_open(&file, path))
		return fail(path, WCM_EOPEN, errno);
	wrong = file_sleds_read(&sleds, &file);
	if (wrong) {
		fflush(stdout);
		complain("%s: no sleds can be read: %s", path, wrong);
	} else if (!functions && sleds.listed_count == 0) {
		fail(path, status, 0);
	} else {
		show(options, path, functions, &sleds);
		result = EXIT_DONE;
	}
	file_sleds_free(&sleds);
	elf_file_close(&file);
	return result;
}

static int show_probes(const struct options *options, const char *path)
{
	struct elf_file file;
	struct wcm_json json;

	if (!elf_file_open(&file, path))
		return fail(path, WCM_EOPEN, errno);
	if (options->json) {
		json_begin(&json, path);
		wcm__json_open(&json, "probes", '[');
		visit(&json, &file, print_json);
		wcm__json_close(&json, ']');
		json_end(&json);
	} else {
		title(options, path);
		visit(NULL, &file, print);
	}
	elf_file_close(&file);
	return EXIT_DONE;
}

static int show_file(const struct options *options, const char *path)
{
	struct wcm_functions *functions;
	enum wcm_status status;
	int result = EXIT_DONE;

	if (options->probes)
		return show_probes(options, path);
	errno = 0;
	status = wcm_functions_load(&functions, path);
	if (options->sleds && (status == WCM_OK || status == WCM_ENOSYMS))
		result = show_sleds(options, path, functions, status);
	else if (status != WCM_OK)
		return fail(path, status, errno);
	else
		show(options, path, functions, NULL);
	wcm_functions_free(functions);
	return result;
}

static bool add_address(struct options *options, const char *text)
{
	uint64_t *grown = reallocarray(options->address,
				       options->address_count + 1,
				       sizeof(*grown));
	char *end;

	if (!grown)
		return false;
	options->address = grown;
	errno = 0;
	grown[options->address_count++] = strtoull(text, &end, 16);
	return errno == 0 && isxdigit((unsigned char)*text) && *end == '\0';
}

static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;
	bool makes_sense;

	if (terminal_option(key, value, &makes_sense))
		return makes_sense;
	switch (key) {
	case 'a':
		return options->all = true;
	case 'C':
		return options->demangle = true;
	case OPTION_SLEDS:
		return options->sleds = true;
	case OPTION_PROBES:
		return options->probes = true;
	case 'A':
		return add_address(options, value);
	default:
		return options->json = true;
	}
}

static int cmd_functions(int argc, char *argv[])
{
	struct options options = { 0 };
	int status, first = options_read(&command_functions, argc, argv, apply, &options,
					 &status);

	if (first == argc)
		status = options_refuse("it needs a FILE");
	if (first != 0 && options.sleds && options.address_count > 0) {
		status = options_refuse("--sleds and --address do not go together");
		first = argc;
	}
	if (first != 0 && options.probes &&
	    (options.sleds || options.all || options.address_count > 0)) {
		status = options_refuse("--probes goes with --json alone");
		first = argc;
	}
	options.several = argc - first > 1;
	if (first != 0 && first < argc && !options.json)
		terminal_begin();
	for (int i = first; first != 0 && i < argc; i++)
		if (show_file(&options, argv[i]) != EXIT_DONE)
			status = EXIT_PARTLY;
	free(options.address);
	return status;
}

static const struct command_option options[] = {
	{ 'a', "all", .text = "list every name of an address, the best one first" },
	{ 'C', "demangle", .text = "show C++, Rust and D names as people write them" },
	{ 'A', "address", .value = "ADDR", .wants = "a hexadecimal number",
	  .text = "show the function that holds ADDR (hexadecimal; may be repeated), "
		  "not the list" },
	{ OPTION_SLEDS, "sleds",
	  .text = "show the NOPs of each function that a trace patches, or why there "
		  "are none" },
	{ OPTION_PROBES, "probes",
	  .text = "list the static probes (USDT), for trace --probes" },
	{ 'j', "json", .text = "write a JSON object a file, each on one line" },
	TERMINAL_OPTIONS,
	{ .name = "" },
};

const struct command command_functions = {
	.name = "functions",
	.operands = "[OPTION...] FILE...",
	.operand = "FILE...",
	.summary = "list the functions of object files",
	.purpose = FOR_FILES,
	.about =
		"List the functions of object files by address, one a line: ADDRESS SIZE "
		"NAME, both numbers hexadecimal.",
	.options = options,
	.notes =
		"Names come from .symtab, otherwise from the separate debug file, otherwise "
		"from .gnu_debugdata, and from .dynsym where it has more. PLT stubs are "
		"name@plt.\n"
		"With --address a line is ADDR NAME+OFFSET, or ADDR ?? if no function holds "
		"ADDR. With --sleds it is ADDRESS NAME: entry SLED SIZE NOP..., or ADDRESS "
		"NAME: none: REASON; SLED is the hexadecimal address of the NOPs, SIZE their "
		"bytes, and \"frame\" in place of \"entry\" says that they follow the "
		"instructions that make the frame. With --probes it is ADDRESS PROVIDER:NAME "
		"VALUE..., and the address of a semaphore.",
	.statuses =
		"0 done\n"
		"1 a file could not be read\n"
		"2 usage",
	.examples =
		"whocallme functions --demangle ./prog\n"
		"whocallme functions --address=11a0 ./prog",
	.takes = TAKES_FILE,
	.run = cmd_functions,
};
