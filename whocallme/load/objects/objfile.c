/* SPDX-License-Identifier: MIT */
/* objfile.c - reads an object file's function symbols; the only file that knows BFD.
 *
 * BFD reads the tables, follows debug links and names PLT stubs.  It does not give a
 * symbol's size, which a table needs to tell a function from the gap behind it: struct
 * sized_symbol gets at it.
 */
#undef _TIME_BITS /* BFD has the shorter struct stat, on CPUs of 32 bits */
#include "load/objects/objfile.h"

#include <bfd.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/symbols/symbol_name.h"
#include "format/regular.h"
#include "format/written.h"
#include "load/objects/mapped_file.h"
#include "load/objects/solid.h"
#include "whocallme/symbol.h"

/* Drops what BFD prints to stderr past its own handler.
 *
 * BFD prints what it finds while it recognises a file, with the names in the file as
 * they are: an honest one may have properties that this BFD does not know.  So stderr is
 * another stream meanwhile, of no descriptor.  It is never closed, since other threads may
 * still hold it: what they print reaches the stream that they mean. */

static FILE *hushed, *meant;
static pthread_t caller;
static unsigned depth;

static ssize_t write_others(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	return pthread_equal(pthread_self(), caller)
		       ? (ssize_t)size
		       : (ssize_t)fwrite(text, 1, size, meant);
}

/* Until the end, what the calling thread prints to stderr is dropped.  One may be within
 * another; not for two threads at once. */
static void hush(void)
{
	if (depth++ > 0)
		return;
	if (!hushed) {
		hushed = fopencookie(NULL, "w", (cookie_io_functions_t){
							.write = write_others });
		if (hushed)
			setvbuf(hushed, NULL, _IONBF, 0);
	}
	caller = pthread_self();
	meant = stderr;
	if (hushed)
		stderr = hushed;
}

static void hush_end(void)
{
	if (--depth == 0)
		stderr = meant;
}

struct wcm_objfile {
	bfd *bfd;
	int fd; /* -1: of bytes */
	struct stat status; /* of the file, as BFD is to know it */
	struct wcm_section_layout layout; /* of sections by BFD's index */
	asymbol **symtab, **dynsym; /* as BFD hands them out, or NULL */
	long symtab_count, dynsym_count;
	asymbol *synthetic;
	struct wcm_bytes image; /* where it is no file of its own */
};

static void be_silent(const char *format, va_list args)
{
	(void)format, (void)args;
}

/* BFD prints its complaints unless told otherwise, process-wide, and some all the same; the
 * program may have told it something of its own, which bfd_init() forgets. */
static bfd_error_handler_type silence(void)
{
	static bool initialised;
	bfd_error_handler_type previous = bfd_set_error_handler(be_silent);

	hush();
	if (!initialised) {
		bfd_assert_handler_type assertion = bfd_set_assert_handler(NULL);

		initialised = bfd_init() != 0;
		bfd_set_assert_handler(assertion);
		bfd_set_error_handler(be_silent);
	}
	return previous;
}

static void end_silence(bfd_error_handler_type previous)
{
	hush_end();
	bfd_set_error_handler(previous);
}

static enum wcm_status status_of_error(void)
{
	switch (bfd_get_error()) {
	case bfd_error_no_memory:
		return WCM_ENOMEM;
	case bfd_error_system_call: /* fdopen(3) allocates */
		return errno == ENOMEM ? WCM_ENOMEM : WCM_EOPEN;
	case bfd_error_no_symbols:
		return WCM_ENOSYMS;
	default:
		return WCM_EFORMAT;
	}
}

static void *open_objfile(bfd *bfd, void *objfile)
{
	(void)bfd;
	return objfile;
}

static size_t read_bytes(const void *opened, void *to, size_t size, uint64_t offset)
{
	const struct wcm_objfile *objfile = opened;

	return objfile->fd == -1 ? wcm__bytes_copy(&objfile->image, (size_t)offset, to, size)
				 : wcm__solid_read(objfile->fd, to, size, offset);
}

static bool is_written(const void *opened, uint64_t offset, uint64_t size)
{
	const struct wcm_objfile *objfile = opened;

	return objfile->fd == -1 || wcm__is_written(objfile->fd, offset, size);
}

static file_ptr read_objfile(bfd *bfd, void *opened, void *to, file_ptr size, file_ptr offset)
{
	(void)bfd;
	return (file_ptr)read_bytes(opened, to, (size_t)size, (uint64_t)offset);
}

static int stat_objfile(bfd *bfd, void *opened, struct stat *stat)
{
	(void)bfd;
	*stat = ((const struct wcm_objfile *)opened)->status;
	return 0;
}

/* Open OBJFILE's file or bytes as TARGET, NULL for any.  Several targets may recognise
 * one file: they differ in relocations and not in symbols, so *MATCH, the caller's to
 * free, names the first of them to try again with. */
static bool recognise(struct wcm_objfile *objfile, const char *path, const char *target,
		      char ***match)
{
	*match = NULL;
	if (!wcm__has_whole_tables(read_bytes, is_written, objfile,
				   (uint64_t)objfile->status.st_size)) {
		bfd_set_error(bfd_error_file_truncated);
		return false;
	}
	objfile->bfd = bfd_openr_iovec(path, target, open_objfile, objfile, read_objfile, NULL,
				       stat_objfile);
	if (!objfile->bfd || bfd_check_format_matches(objfile->bfd, bfd_object, match))
		return objfile->bfd != NULL;
	if (bfd_get_error() != bfd_error_file_ambiguously_recognized)
		*match = NULL;
	bfd_close_all_done(objfile->bfd);
	objfile->bfd = NULL;
	return false;
}

static bool recognise_any(struct wcm_objfile *objfile, const char *path)
{
	char **match, **none;
	bool known = recognise(objfile, path, NULL, &match);

	if (!known && match)
		known = recognise(objfile, path, match[0], &none);
	free(match);
	return known;
}

static enum wcm_status lay_sections_out(struct wcm_objfile *objfile)
{
	struct wcm_section_layout *layout = &objfile->layout;

	layout->relocatable = !(bfd_get_file_flags(objfile->bfd) &
				(EXEC_P | DYNAMIC));
	layout->count = objfile->bfd->section_count;
	layout->section = calloc(layout->count + 1, sizeof(*layout->section));
	if (!layout->section)
		return WCM_ENOMEM;
	for (asection *s = objfile->bfd->sections; s; s = s->next)
		layout->section[s->index] = (struct wcm_laid_section){
			.vma = s->vma,
			.size = s->size,
			.code = (s->flags & SEC_CODE) != 0,
		};
	wcm__section_layout_make(layout);
	return WCM_OK;
}

static enum wcm_status open_fd(struct wcm_objfile *objfile, const char *path)
{
	struct stat *status = &objfile->status;

	if (fstat(objfile->fd, status) != 0 || !S_ISREG(status->st_mode))
		return WCM_ENOTOBJECT;
	if (recognise_any(objfile, path))
		return lay_sections_out(objfile);
	if (status_of_error() == WCM_ENOMEM)
		return WCM_ENOMEM;
	return wcm__is_elf_file(objfile->fd) ? WCM_EFORMAT : WCM_ENOTOBJECT;
}

static enum wcm_status hand_out(struct wcm_objfile **objfile, struct wcm_objfile *opened,
				enum wcm_status status)
{
	if (status == WCM_OK)
		*objfile = opened;
	else
		wcm__objfile_close(opened);
	return status;
}

enum wcm_status wcm__objfile_open(struct wcm_objfile **objfile, const char *path, int fd)
{
	struct wcm_objfile *opened;
	bfd_error_handler_type previous;
	enum wcm_status status;

	*objfile = NULL;
	if (fd == -1)
		fd = wcm__regular_open(path, NULL);
	errno = fd < 0 ? -fd : errno;
	if (fd < 0)
		return errno == EINVAL ? WCM_ENOTOBJECT : WCM_EOPEN;
	opened = calloc(1, sizeof(*opened));
	if (!opened) {
		close(fd);
		return WCM_ENOMEM;
	}
	opened->fd = fd;
	previous = silence();
	status = open_fd(opened, path);
	end_silence(previous);
	return hand_out(objfile, opened, status);
}

enum wcm_status wcm__objfile_open_bytes(struct wcm_objfile **objfile,
					const struct wcm_objfile *like,
					const struct wcm_bytes *image)
{
	struct wcm_objfile *opened = calloc(1, sizeof(*opened));
	bfd_error_handler_type previous;
	enum wcm_status status;
	char **none;

	if (!opened) {
		free(image->data);
		return WCM_ENOMEM;
	}
	opened->fd = -1;
	opened->image = *image;
	opened->status = (struct stat){ .st_mode = S_IFREG, .st_size = (off_t)image->size };
	previous = silence();
	status = recognise(opened, bfd_get_filename(like->bfd),
			   bfd_get_target(like->bfd), &none)
			 ? lay_sections_out(opened)
			 : status_of_error();
	end_silence(previous);
	return hand_out(objfile, opened, status);
}

/* The most bytes that SECTION can have: zlib makes at most 1032 of one. */
static uint64_t most_of(const struct wcm_objfile *objfile, const asection *section)
{
	enum { MOST_UNPACKED = 1 << 28 };
	const uint64_t size = (uint64_t)objfile->status.st_size;

	if (section->compress_status == COMPRESS_SECTION_NONE)
		return size;
	return size < MOST_UNPACKED / 1032 ? size * 1032 : MOST_UNPACKED;
}

/* Only of what is read: BFD_DECOMPRESS in the file's flags has all of them tried, and a file
 * refused for one that is damaged. */
static bool is_sized(struct wcm_objfile *objfile, asection *section)
{
	return section->compress_status != COMPRESS_SECTION_NONE ||
	       !bfd_is_section_compressed(objfile->bfd, section) ||
	       bfd_init_section_decompress_status(objfile->bfd, section);
}

enum wcm_status wcm__objfile_section(struct wcm_objfile *objfile, const char *name,
				     struct wcm_bytes *bytes)
{
	bfd_error_handler_type previous = silence();
	asection *section = bfd_get_section_by_name(objfile->bfd, name);
	enum wcm_status status = section ? WCM_EFORMAT : WCM_ENOSYMS;

	/* A damaged header may claim more than the file has, or than there is compressed. */
	if (section && is_sized(objfile, section) && section->size <= most_of(objfile, section)) {
		bytes->size = section->size;
		status = bfd_malloc_and_get_section(objfile->bfd, section, &bytes->data)
				 ? WCM_OK : status_of_error();
	}
	end_silence(previous);
	return status;
}

bool wcm__objfile_has_section(const struct wcm_objfile *objfile, const char *name)
{
	return bfd_get_section_by_name(objfile->bfd, name) != NULL;
}

void wcm__objfile_close(struct wcm_objfile *objfile)
{
	bfd_error_handler_type previous;

	if (!objfile)
		return;
	previous = silence();
	free(objfile->symtab);
	free(objfile->dynsym);
	free(objfile->synthetic);
	free(objfile->layout.section);
	if (objfile->bfd)
		bfd_close_all_done(objfile->bfd);
	if (objfile->fd != -1)
		close(objfile->fd);
	free(objfile->image.data);
	free(objfile);
	end_silence(previous);
}

const struct wcm_section_layout *wcm__objfile_layout(const struct wcm_objfile *objfile)
{
	return &objfile->layout;
}

const uint8_t *wcm__objfile_build_id(const struct wcm_objfile *objfile, size_t *size)
{
	const struct bfd_build_id *id = objfile->bfd->build_id;

	*size = id ? id->size : 0;
	return id ? id->data : NULL;
}

int wcm__objfile_fd(const struct wcm_objfile *objfile)
{
	return objfile->fd;
}

char *wcm__objfile_debug_path(struct wcm_objfile *objfile, bool by_link)
{
	bfd_error_handler_type previous = silence();
	char *path = bfd_follow_build_id_debuglink(objfile->bfd, DEBUG_DIR);

	if (!path && by_link)
		path = bfd_follow_gnu_debuglink(objfile->bfd, DEBUG_DIR);
	end_silence(previous);
	return path;
}

char *wcm__objfile_debuglink(struct wcm_objfile *objfile)
{
	bfd_error_handler_type previous = silence();
	BFD_CRC crc;
	char *name = bfd_get_debug_link_info(objfile->bfd, &crc);

	end_silence(previous);
	return name;
}

/* BFD's public symbol has no size.  The one it allocates for ELF has, in fields
 * that follow the public ones and that binutils has kept in place since 2.10,
 * but their header is not installed. */
struct sized_symbol {
	asymbol symbol;
	bfd_vma st_value, st_size;
};

/* The size as BFD prints it: behind the section's name and a tab. */
static uint64_t printed_size(bfd *bfd, asymbol *symbol)
{
	char *text = NULL, *tab;
	size_t length;
	uint64_t size = 0;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		return 0;
	bfd_print_symbol(bfd, stream, symbol, bfd_print_symbol_all);
	if (fclose(stream) == 0 && text && (tab = strchr(text, '\t')))
		size = strtoull(tab + 1, NULL, 16);
	free(text);
	return size;
}

static bool is_function(const asymbol *symbol)
{
	return (symbol->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION)) != 0;
}

/* Whether the BFD that is linked keeps sizes where struct sized_symbol has
 * them: the layout is believed only after what BFD prints has confirmed it, on
 * the first functions with a size. */
static bool layout_is_known(bfd *bfd, asymbol **symbols, long count)
{
	enum { WITNESSES = 4 };
	static enum { UNKNOWN, CONFIRMED, REFUTED } layout;
	int witnesses = 0;

	for (long i = 0; layout == UNKNOWN && i < count; i++) {
		const struct sized_symbol *sized = (void *)symbols[i];
		uint64_t size;

		if (!is_function(symbols[i]))
			continue;
		size = printed_size(bfd, symbols[i]);
		if (size == 0)
			continue;
		if (sized->st_size != size)
			layout = REFUTED;
		else if (++witnesses == WITNESSES)
			layout = CONFIRMED;
	}
	return layout == CONFIRMED || (layout == UNKNOWN && witnesses > 0);
}

/* What BFD calls a symbol whose name it cannot read. */
static bool is_unreadable(const char *name)
{
	return name[0] == '(' && strcmp(name, "(null)") == 0;
}

/* Functions, labels in code that nobody gave a type, and data between code. */
static bool is_wanted(const asymbol *symbol)
{
	const flagword never = BSF_SECTION_SYM | BSF_FILE | BSF_THREAD_LOCAL |
			       BSF_DEBUGGING;

	if (bfd_is_und_section(symbol->section) || bfd_is_com_section(symbol->section) ||
	    bfd_is_abs_section(symbol->section) || !*symbol->name ||
	    is_unreadable(symbol->name))
		return false;
	if (is_function(symbol))
		return true;
	return !(symbol->flags & never) && (symbol->section->flags & SEC_CODE) &&
	       !wcm__is_mere_label(symbol->name);
}

static uint8_t rank_of(const asymbol *symbol, uint64_t size)
{
	uint8_t rank = 0;

	if (!is_function(symbol))
		rank |= symbol->flags & BSF_OBJECT ? WCM_RANK_DATA : WCM_RANK_UNTYPED;
	if (size == 0)
		rank |= WCM_RANK_UNSIZED;
	if (symbol->flags & BSF_WEAK)
		rank |= WCM_RANK_WEAK;
	else if (!(symbol->flags & (BSF_GLOBAL | BSF_GNU_UNIQUE)))
		rank |= WCM_RANK_LOCAL;
	return rank;
}

static uint8_t flags_of(const asymbol *symbol, uint64_t size)
{
	uint8_t flags = 0;

	if (symbol->flags & BSF_GNU_INDIRECT_FUNCTION)
		flags |= WCM_SYMBOL_IFUNC;
	if (size == 0)
		flags |= WCM_SYMBOL_UNSIZED;
	return flags;
}

static void add(struct wcm_raw_symbols *symbols, const struct wcm_objfile *objfile,
		const asymbol *symbol, uint64_t size, uint8_t flags, uint8_t rank)
{
	wcm__raw_symbols_add(symbols, &objfile->layout, symbol->section->index,
			     symbol->value,
			     &(struct wcm_sized_name){ symbol->name, size,
						       flags, rank });
}

static enum wcm_status collect(struct wcm_objfile *objfile, asymbol **from, long count,
			       struct wcm_raw_symbols *symbols)
{
	bool elf = bfd_get_flavour(objfile->bfd) == bfd_target_elf_flavour;
	bool known = elf && layout_is_known(objfile->bfd, from, count);

	if (!wcm__raw_symbols_reserve(symbols, (size_t)count))
		return WCM_ENOMEM;
	for (long i = 0; i < count; i++) {
		const asymbol *symbol = from[i];
		uint64_t size = 0;

		if (!is_wanted(symbol))
			continue;
		if (known)
			size = ((const struct sized_symbol *)symbol)->st_size;
		else if (elf)
			size = printed_size(objfile->bfd, from[i]);
		add(symbols, objfile, symbol, size, flags_of(symbol, size), rank_of(symbol, size));
	}
	return WCM_OK;
}

/* A table's symbols, kept until the file is closed. */
static enum wcm_status read_table(bfd *bfd, bool dynamic, asymbol ***table, long *count)
{
	enum { MOST_SYMBOLS = 1 << 24 };
	long room = dynamic ? bfd_get_dynamic_symtab_upper_bound(bfd)
			    : bfd_get_symtab_upper_bound(bfd);

	if (*table)
		return WCM_OK;
	if (room < 0)
		return bfd_get_error() == bfd_error_invalid_operation
			       ? WCM_OK /* there is no such table */
			       : status_of_error();
	if ((size_t)room / sizeof(**table) > MOST_SYMBOLS)
		return WCM_EFORMAT;
	*table = malloc((size_t)room + sizeof(**table));
	if (!*table)
		return WCM_ENOMEM;
	*count = dynamic ? bfd_canonicalize_dynamic_symtab(bfd, *table)
			 : bfd_canonicalize_symtab(bfd, *table);
	if (*count >= 0)
		return WCM_OK;
	*count = 0;
	return status_of_error();
}

static enum wcm_status collect_table(struct wcm_objfile *objfile,
				     struct wcm_raw_symbols *symbols, bool dynamic)
{
	asymbol ***table = dynamic ? &objfile->dynsym : &objfile->symtab;
	long *count = dynamic ? &objfile->dynsym_count : &objfile->symtab_count;
	enum wcm_status status = read_table(objfile->bfd, dynamic, table, count);

	return status == WCM_OK && *table
		       ? collect(objfile, *table, *count, symbols)
		       : status;
}

static enum wcm_status collect_plt(struct wcm_objfile *objfile,
				   struct wcm_raw_symbols *symbols)
{
	enum wcm_status status = read_table(objfile->bfd, true, &objfile->dynsym,
					    &objfile->dynsym_count);
	long count;

	if (status != WCM_OK || !objfile->dynsym || objfile->synthetic)
		return status;
	count = bfd_get_synthetic_symtab(objfile->bfd, objfile->symtab_count,
					 objfile->symtab, objfile->dynsym_count,
					 objfile->dynsym, &objfile->synthetic);
	if (count <= 0)
		return WCM_OK;
	if (!wcm__raw_symbols_reserve(symbols, (size_t)count))
		return WCM_ENOMEM;
	for (long i = 0; i < count; i++)
		add(symbols, objfile, &objfile->synthetic[i], 0,
		    WCM_SYMBOL_PLT | WCM_SYMBOL_UNSIZED, WCM_RANK_PLT | WCM_RANK_UNSIZED);
	return WCM_OK;
}

enum wcm_status wcm__objfile_read(struct wcm_objfile *objfile,
				  enum wcm_symbol_source source,
				  struct wcm_raw_symbols *symbols)
{
	bfd_error_handler_type previous = silence();
	enum wcm_status status = source == WCM_PLT
					 ? collect_plt(objfile, symbols)
					 : collect_table(objfile, symbols, source == WCM_DYNSYM);

	end_silence(previous);
	return status;
}
