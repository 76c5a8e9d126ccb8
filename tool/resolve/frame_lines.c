/* SPDX-License-Identifier: MIT */
/* frame_lines.c - looks an address up and writes its functions and source lines. */
#include "resolve/frame_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/escape.h"
#include "base/hash.h"
#include "resolve/source.h"

static bool is_said(struct resolver *resolver, const struct address *address,
		    const char *complaint)
{
	enum { MOST = sizeof(resolver->said) / sizeof(*resolver->said) };
	uint64_t key = hash_more(HASH_OF_NOTHING, address->build_id,
				 address->build_id_size);

	if (address->path)
		key = hash_more(key, address->path, strlen(address->path) + 1);
	key = hash_more(key, complaint, strlen(complaint));
	for (size_t i = 0; i < resolver->said_count && i < MOST; i++)
		if (resolver->said[i] == key)
			return true;
	resolver->said[resolver->said_count++ % MOST] = key;
	return false;
}

static struct binary *open_it(struct resolver *resolver, const struct address *address)
{
	if (address->has_tag)
		return binaries_open_tagged(resolver->binaries, address->path, address->tag);
	return binaries_open(resolver->binaries, address->path,
			     address->build_id_size > 0 ? address->build_id : NULL,
			     address->build_id_size);
}

/* Whether ADDRESS is not of BINARY, whose build-id nobody knows. */
static bool is_of_other(struct binary *binary, const struct address *address)
{
	return address->function != 0 && !binary_may_begin(binary, address->function);
}

/* COMPLAINT, if it is one that was not said yet. */
static const char *unsaid(struct resolver *resolver, const struct address *address,
			  const char *complaint)
{
	return complaint && !is_said(resolver, address, complaint) ? complaint : NULL;
}

/* The complaint about BINARY, if it is the first time. */
static const char *complaint_of(struct resolver *resolver,
				const struct address *address,
				const struct binary *binary, bool is_other)
{
	const char *complaint = is_other ? "no function begins where the stack has one: the file "
					   "is not used"
					 : binary_complaint(binary);

	if (!complaint && resolver->says_missing)
		complaint = binary_missing(binary);
	return unsaid(resolver, address, complaint);
}

/* The first doubt about a source whose text is to be shown that was not said yet. */
static const char *doubt_of(struct resolver *resolver, const struct address *address)
{
	const char *doubt = NULL;

	for (size_t i = 0; i < resolver->locations.count && !doubt && resolver->around > 0; i++) {
		free(resolver->doubt);
		resolver->doubt = source_doubt(&resolver->locations.location[i]);
		doubt = unsaid(resolver, address, resolver->doubt);
	}
	return doubt;
}

const char *resolver_find(struct resolver *resolver, const struct address *address)
{
	struct binary *binary = open_it(resolver, address);
	const bool is_other = is_of_other(binary, address);
	const char *complaint;

	resolver->has_file = binary_has_file(binary);
	resolver->locations.count = 0;
	if (!is_other)
		binary_find(binary, address->address, &resolver->locations);
	complaint = complaint_of(resolver, address, binary, is_other);
	return complaint ? complaint : doubt_of(resolver, address);
}

const char *resolver_complaint(struct resolver *resolver, const struct address *address)
{
	struct binary *binary = open_it(resolver, address);

	return complaint_of(resolver, address, binary, is_of_other(binary, address));
}

const char *resolver_name(const struct resolver *resolver, const char *function,
			  char **memory)
{
	*memory = resolver->demangle ? wcm_name_demangle(function) : NULL;
	return *memory ? *memory : function;
}

void print_source_line(FILE *file, unsigned number, bool is_it, const char *text,
		       size_t length, bool colour)
{
	enum { LONGEST = 240 };

	fprintf(file, "\t%s%c%5u  ", colour && is_it ? "\033[1m" : "",
		is_it ? '>' : ' ', number);
	escape(file, WCM_ESCAPE_SOURCE, text, length < LONGEST ? length : LONGEST);
	fputs(length > LONGEST ? "..." : "", file);
	fputs(colour && is_it ? "\033[0m\n" : "\n", file);
}

void print_source(FILE *file, const struct location *location, unsigned around, bool colour)
{
	const uint64_t line = location->line, last = line + around;
	size_t length;

	if (around == 0 || !location->file || line == 0)
		return;
	for (uint64_t i = line > around ? line - around : 1; i <= last; i++) {
		const char *text = source_line(location, i, &length);

		if (text)
			print_source_line(file, (unsigned)i, i == line, text, length,
					  colour);
	}
}

static void print_where(FILE *file, const struct location *location, bool colour)
{
	fputs(" at ", file);
	fputs(colour ? "\033[36m" : "", file);
	escape_name(file, location->file, MOST_NAME);
	if (location->line > 0)
		fprintf(file, ":%u", location->line);
	if (location->line > 0 && location->column > 0)
		fprintf(file, ":%u", location->column);
	fputs(colour ? "\033[0m" : "", file);
}

static void print_location(const struct resolver *resolver, FILE *file,
			   const struct location *location)
{
	char *memory = NULL;

	fputs("   ", file);
	escape_name(file,
		    location->function ? resolver_name(resolver, location->function, &memory)
				    : "??",
		    MOST_NAME);
	free(memory);
	if (location->file)
		print_where(file, location, resolver->colour);
	else if (location->function && location->offset > 0)
		fprintf(file, "+0x%" PRIx64, location->offset);
	fputs(location->inlined ? " (inlined)\n" : "\n", file);
	print_source(file, location, resolver->around, resolver->colour);
}

void resolver_print(const struct resolver *resolver, FILE *file)
{
	for (size_t i = 0; i < resolver->locations.count; i++)
		print_location(resolver, file, &resolver->locations.location[i]);
}

/* Whether COMPLAINT names PATH before all else. */
static bool begins_with(const char *complaint, const char *path)
{
	return strncmp(complaint, path, strlen(path)) == 0;
}

void write_complaint(FILE *file, const struct address *address, const char *complaint)
{
	if (!address->path)
		for (size_t i = 0; i < address->build_id_size; i++)
			fprintf(file, "%02x", address->build_id[i]);
	else if (!begins_with(complaint, address->path))
		escape_name(file, address->path, MOST_NAME);
	if (!address->path || !begins_with(complaint, address->path))
		fputs(": ", file);
	escape_name(file, complaint, MOST_NAME);
}

void print_complaint(FILE *file, const struct address *address, const char *complaint)
{
	fputs("   (", file);
	write_complaint(file, address, complaint);
	fputs(")\n", file);
}
