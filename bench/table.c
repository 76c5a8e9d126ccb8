/* SPDX-License-Identifier: MIT */
/* table.c - how many bytes does a function table take beside the names?
 *
 *	table FILE
 *
 * What malloc(3) gave for the one block that a table is, less each name and its
 * zero byte, by the number of functions: entries, flags, header and slack.
 */
#include <malloc.h>
#include <string.h>

#include "clock.h"
#include "load/lock.h"
#include "load/objects/build_table.h"
#include "load/objects/debug_file.h"

static size_t bytes_of_names(const struct wcm_function_table *table)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < table->count; i++)
		if (!(table->entry[i].size & WCM_ENTRY_PART_OF))
			bytes += strlen(table->names + table->entry[i].name) + 1;
	return bytes;
}

static size_t count_functions(const struct wcm_function_table *table)
{
	size_t functions = 0;

	for (uint32_t i = 0; i < table->count; i++)
		functions += !(table->entry[i].size & WCM_ENTRY_PART_OF);
	return functions;
}

int main(int argc, char **argv)
{
	struct wcm_file_symbols symbols;
	struct wcm_function_table *table;
	struct wcm_objfile *objfile;

	if (argc != 2)
		give_up("usage: table FILE");
	wcm__lock();
	if (wcm__objfile_open(&objfile, argv[1], -1) != WCM_OK ||
	    wcm__file_symbols_init(&symbols, objfile, argv[1]) != WCM_OK)
		give_up("the file cannot be loaded");
	table = wcm__build_table(&symbols.raw);
	wcm__unlock();
	if (!table)
		give_up("out of memory");
	emit("functions", (double)count_functions(table));
	emit("bytes", (double)(malloc_usable_size(table) -
			       bytes_of_names(table)) /
			      (double)count_functions(table));
	return 0;
}
