/* SPDX-License-Identifier: MIT */
/* question.c - what is the helper asked about an address? */
#include "lines/question.h"

#include <errno.h>
#include <string.h>

#include "report/format.h"
#include "symbols/auxv.h"
#include "syscall.h"
#include "whocallme/symbol.h"

/* Bytes.  Build-ids have 16 or 20; the helper takes 3 for too few. */
enum { LEAST_BUILD_ID = 4, MOST_BUILD_ID = 64, LONGEST_PATH = 4000 };

/* One in the making. */
struct question {
	char *text;
	size_t size;
};

static void put(struct question *question, const char *text, size_t size)
{
	memcpy(question->text + question->size, text, size);
	question->size += size;
}

static void put_hex(struct question *question, uint64_t value, unsigned digits)
{
	wcm__format_hex(question->text + question->size, value, digits);
	question->size += digits;
}

/* The kernel's word for the executable, whose name is the program's own affair;
 * returns its length. */
static long read_executable(char *room)
{
	return wcm__syscall(SYS_readlink, (long)"/proc/self/exe", (long)room,
			    LONGEST_PATH, 0, 0, 0);
}

/* PATH from the working directory on.  Where that has changed since, the build-id
 * keeps a wrong file from being read. */
static long make_absolute(char *room, const char *path)
{
	size_t length = strlen(path);
	long size = wcm__syscall(SYS_getcwd, (long)room, LONGEST_PATH, 0, 0, 0, 0);

	if (size <= 1 || (size_t)size + length > LONGEST_PATH)
		return -ENAMETOOLONG;
	room[size - 1] = '/'; /* was the zero byte */
	memcpy(room + size, path, length);
	return size + (long)length;
}

/* Put SIZE bytes as wcm__line_name() would, which the helper undoes. */
static void put_escaped(struct question *question, const char *text, size_t size)
{
	for (; size > 0; text++, size--)
		if ((unsigned char)*text < 0x20 || *text == '\\') {
			put(question, "\\x", 2);
			put_hex(question, (unsigned char)*text, 2);
		} else {
			put(question, text, 1);
		}
}

/* The helper's working directory may be another, or become so. */
static bool put_path(struct question *question, const char *path)
{
	char *room = question->text + WCM_QUESTION_SIZE - LONGEST_PATH;
	long size;

	if ((uintptr_t)path == wcm__auxv(AT_EXECFN) || path == wcm__auxv_kept_path) {
		size = read_executable(room);
		path = room;
	} else if (path[0] == '/') {
		size = (long)strlen(path);
	} else {
		size = make_absolute(room, path);
		path = room;
	}
	if (size <= 0 || size > LONGEST_PATH)
		return false;
	put_escaped(question, path, (size_t)size);
	return true;
}

static void put_build_id(struct question *question,
			 const struct wcm_symbol *symbol)
{
	if (symbol->build_id_size < LEAST_BUILD_ID ||
	    symbol->build_id_size > MOST_BUILD_ID)
		return;
	for (uint32_t i = 0; i < symbol->build_id_size; i++)
		put_hex(question, symbol->build_id[i], 2);
}

/* Code of no module, and of one that is no file, such as [vdso], is nothing that the
 * helper could read of. */
static bool is_of_file(const struct wcm_symbol *symbol)
{
	return symbol->module && symbol->module[0] != '\0' &&
	       symbol->module[0] != '[';
}

size_t wcm__question_make(char *text, uintptr_t site)
{
	struct question question = { text, 0 };
	struct wcm_symbol symbol;
	size_t before_path;

	wcm_symbol_peek(site, &symbol);
	if (!is_of_file(&symbol))
		return 0;
	put_build_id(&question, &symbol);
	before_path = question.size;
	if (before_path > 0)
		put(&question, ":", 1);
	if (!put_path(&question, symbol.module))
		question.size = before_path;
	if (question.size == 0)
		return 0;
	put(&question, "+0x", 3);
	put_hex(&question, symbol.module_offset,
		wcm__format_hex_digits(symbol.module_offset));
	put(&question, "\n", 1);
	return question.size;
}
