/* SPDX-License-Identifier: MIT */
/* cmd_functions.c - whocallme functions: the functions of a file. */
#include "commands/command.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/json_string.h"

struct options {
	bool all, demangle, json;
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
	if (flags & WCM_SYMBOL_COLD)
		fputs(" [cold]", stdout);
	free(shown);
}

static bool is_listed(const struct options *options,
		      const struct wcm_function *function)
{
	return options->all || !function->alias;
}

static void print_list(const struct options *options,
		       const struct wcm_functions *functions)
{
	for (size_t i = 0; i < wcm_functions_count(functions); i++) {
		struct wcm_function function = wcm_functions_get(functions, i);

		if (!is_listed(options, &function))
			continue;
		printf("%016" PRIx64 " %016" PRIx64 " ", function.address,
		       function.size);
		print_name(options, function.name, function.flags);
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

static void json_name(const struct options *options, const char *name)
{
	char *shown = shown_name(options, name);

	fputs("\"name\":", stdout);
	json_print(shown ? shown : name);
	free(shown);
}

static void json_flags(uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ WCM_SYMBOL_PLT, "plt" },
		{ WCM_SYMBOL_COLD, "cold" },
		{ WCM_SYMBOL_IFUNC, "ifunc" },
		{ WCM_SYMBOL_UNSIZED, "unsized" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags & names[i].flag)
			printf(",\"%s\":true", names[i].name);
}

static void json_function(const struct options *options,
			  const struct wcm_function *function)
{
	printf("{\"address\":\"0x%" PRIx64 "\",\"size\":%" PRIu64 ",",
	       function->address, function->size);
	json_name(options, function->name);
	json_flags(function->flags);
	fputs(function->alias ? ",\"alias\":true}" : "}", stdout);
}

static void json_list(const struct options *options,
		      const struct wcm_functions *functions)
{
	const char *comma = "";

	fputs(",\"functions\":[", stdout);
	for (size_t i = 0; i < wcm_functions_count(functions); i++) {
		struct wcm_function function = wcm_functions_get(functions, i);

		if (!is_listed(options, &function))
			continue;
		fputs(comma, stdout);
		json_function(options, &function);
		comma = ",";
	}
	putchar(']');
}

static void json_addresses(const struct options *options,
			   const struct wcm_functions *functions)
{
	fputs(",\"addresses\":[", stdout);
	for (size_t i = 0; i < options->address_count; i++) {
		uint64_t address = options->address[i];
		struct wcm_function function;

		printf("%s{\"address\":\"0x%" PRIx64 "\"", i ? "," : "",
		       address);
		if (wcm_functions_find(functions, address, &function)) {
			putchar(',');
			json_name(options, function.name);
			printf(",\"offset\":%" PRIu64,
			       address - function.address);
			json_flags(function.flags);
		}
		putchar('}');
	}
	putchar(']');
}

static void json_file(const struct options *options, const char *path,
		      const struct wcm_functions *functions)
{
	size_t size;
	const uint8_t *build_id = wcm_functions_build_id(functions, &size);

	fputs("{\"version\":1,\"file\":", stdout);
	json_print(path);
	if (build_id) {
		fputs(",\"build_id\":\"", stdout);
		for (size_t i = 0; i < size; i++)
			printf("%02x", build_id[i]);
		putchar('"');
	}
	if (options->address_count > 0)
		json_addresses(options, functions);
	else
		json_list(options, functions);
	puts("}");
}

static void text_file(const struct options *options, const char *path,
		      const struct wcm_functions *functions)
{
	if (options->several) {
		putchar('\n');
		escape_text(stdout, path);
		puts(":");
	}
	if (options->address_count > 0)
		print_addresses(options, functions);
	else
		print_list(options, functions);
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
		complain("%s: %s", path, wcm_status_text(status));
	return EXIT_PARTLY;
}

static int show_file(const struct options *options, const char *path)
{
	struct wcm_functions *functions;
	enum wcm_status status;

	errno = 0;
	status = wcm_functions_load(&functions, path);
	if (status != WCM_OK)
		return fail(path, status, errno);
	if (options->json)
		json_file(options, path, functions);
	else
		text_file(options, path, functions);
	wcm_functions_free(functions);
	return EXIT_DONE;
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

	switch (key) {
	case 'a':
		return options->all = true;
	case 'C':
		return options->demangle = true;
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
	options.several = argc - first > 1;
	for (int i = first; first != 0 && i < argc; i++)
		if (show_file(&options, argv[i]) != EXIT_DONE)
			status = EXIT_PARTLY;
	free(options.address);
	return status;
}

static const struct command_option options[] = {
	{ 'a', "all", .text = "every name of an address, the best one first" },
	{ 'C', "demangle", .text = "C++, Rust and D names as people write them" },
	{ 'A', "address", .value = "ADDR", .wants = "a hexadecimal number",
	  .text = "instead of the list, the function that holds ADDR (hexadecimal; may "
		  "be repeated)" },
	{ 'j', "json", .text = "a JSON object a file, each on one line" },
	{ .name = "" },
};

const struct command command_functions = {
	.name = "functions",
	.operands = "[OPTION...] FILE...",
	.operand = "FILE...",
	.summary = "list the functions of object files",
	.about = "List the functions of object files by address: those of .symtab, else "
		 "of\n"
		 "the separate debug file, else of .gnu_debugdata and .dynsym; PLT stubs "
		 "as\n"
		 "name@plt.\n",
	.options = options,
	.notes = "A line is ADDRESS SIZE NAME, both numbers hexadecimal; with --address "
		 "it\n"
		 "is ADDR NAME+OFFSET, or ADDR ?? where no function holds ADDR.\n"
		 "Exit status: 0 done; 1 a file could not be read; 2 usage.\n",
	.takes = TAKES_FILE,
	.run = cmd_functions,
};
