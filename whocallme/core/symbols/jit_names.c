/* SPDX-License-Identifier: MIT */
/* jit_names.c (SAFE) - names code that a run-time has made, by the files that it writes for
 * perf(1).
 *
 * /tmp/perf-PID.map has a line for each function, START SIZE NAME; jit-PID.dump (perf's
 * jitdump-specification.txt) a record, and its run-time maps it, which tells where it is.
 * PID is what the process itself has for it, in its own PID namespace.
 *
 * A file is believed only if it is regular, belongs to the process's own user, has one name, and
 * not all may write it.  It is read and never mapped.  The index of it goes on where it ended when
 * the file has grown.  Where entries overlap the later one counts: new code takes the place of old.
 */
#include "core/symbols/dlopen_names.h"

#include <string.h>

#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/maps.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "format/regular.h"
#include "format/words.h"

enum {
	CHUNK = 1 << 16,      /* bytes of a file at a time; a longer line is none */
	MOST_BYTES = 1 << 28, /* of a file; what is behind them has no names */
	MOST_ENTRIES = 1 << 22,
	NAMES = 64, LONGEST = 512,
	AGAIN_MS = 50, /* so often the files are looked for */
};

struct entry {
	uint64_t start;
	uint32_t size, name; /* in bytes; where the file has it */
};

struct source {
	char path[LONGEST]; /* empty: there is none */
	uint64_t device, inode, size, parsed;
	struct entry *entry;
	size_t count, room;
};

/* All of it is OWNER's. */
static struct wcm_owner owner;
static struct source map, dump;
static char *chunk; /* CHUNK bytes */
static uint64_t looked_at;
static int looked_for; /* by this process */
static char names[NAMES][LONGEST];
static unsigned named;

static void forget(struct source *source)
{
	if (source->entry)
		wcm__unmap(source->entry, source->room * sizeof(*source->entry));
	memset(source, 0, sizeof(*source));
}

static bool make_room(struct source *source)
{
	const size_t room = source->room ? 2 * source->room : CHUNK / sizeof(*source->entry);
	struct entry *grown;

	if (source->count < source->room)
		return true;
	if (room > MOST_ENTRIES || !(grown = wcm__map(room * sizeof(*grown))))
		return false;
	if (source->entry) {
		memcpy(grown, source->entry, source->count * sizeof(*grown));
		wcm__unmap(source->entry, source->room * sizeof(*grown));
	}
	source->entry = grown;
	source->room = room;
	return true;
}

static bool add(struct source *source, uint64_t start, uint64_t size, uint64_t name)
{
	if (size == 0)
		return true;
	if (!make_room(source))
		return false;
	source->entry[source->count++] = (struct entry){
		.start = start,
		.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		.name = (uint32_t)name,
	};
	return true;
}

static const struct entry *find(const struct source *source, uint64_t address)
{
	for (size_t i = source->count; i > 0; i--)
		if (address - source->entry[i - 1].start < source->entry[i - 1].size)
			return &source->entry[i - 1];
	return NULL;
}

/* The number at *AT, which ends with a space before END; *AT is behind that. */
static bool read_hex(const char **at, const char *end, uint64_t *number)
{
	const char *digit = *at;

	if (end - digit > 2 && digit[0] == '0' && (digit[1] | 0x20) == 'x')
		digit += 2;
	for (*number = 0; digit < end && *digit != ' '; digit++) {
		const int lower = *digit | 0x20;

		if (*digit >= '0' && *digit <= '9')
			*number = *number << 4 | (unsigned)(*digit - '0');
		else if (lower >= 'a' && lower <= 'f')
			*number = *number << 4 | (unsigned)(lower - 'a' + 10);
		else
			return false;
	}
	if (digit == *at || digit == end)
		return false;
	*at = digit + 1;
	return true;
}

/* The line in the chunk from LINE to END; the chunk is of the file from AT on. */
static bool take_line(struct source *source, const char *line, const char *end, uint64_t at)
{
	uint64_t start, size;

	if (!read_hex(&line, end, &start) || !read_hex(&line, end, &size) || line == end)
		return true;
	return add(source, start, size, at + (uint64_t)(line - chunk));
}

/* All lines of FD that are whole. */
static void parse_map(struct source *source, int fd)
{
	long size;

	while (source->parsed < MOST_BYTES &&
	       (size = wcm__pread(fd, chunk, CHUNK, source->parsed)) > 0) {
		const char *line = chunk, *end = chunk + size, *newline;

		while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
			if (!take_line(source, line, newline, source->parsed))
				return;
			line = newline + 1;
		}
		if (line == chunk && size < CHUNK)
			return;
		source->parsed += line == chunk ? (uint64_t)size : (uint64_t)(line - chunk);
	}
}

/* What begins each record, and what follows in those of the two kinds that are read. */
struct record {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, length; /* of a move: ..., the old address, the new one */
	uint64_t moved_length;
};

_Static_assert(sizeof(struct record) == 56, "as perf has it");

enum { LOAD = 0, MOVE = 1 };

static bool take_record(struct source *source, const struct record *record, uint64_t at)
{
	const struct entry *moved;

	if (record->id == LOAD)
		return record->size <= sizeof(*record) ||
		       add(source, record->address, record->length, at + sizeof(*record));
	if (record->id != MOVE || !(moved = find(source, record->address)))
		return true;
	return add(source, record->length, record->moved_length, moved->name);
}

/* All records of FD that are whole. */
static void parse_dump(struct source *source, int fd)
{
	enum { MAGIC = 0x4a695444, PREFIX = 16, HEAD = 40 };
	struct record record;
	uint32_t head[HEAD / 4];

	if (source->parsed == 0) {
		if (wcm__pread(fd, head, sizeof(head), 0) != sizeof(head) || head[0] != MAGIC ||
		    head[2] < HEAD)
			return;
		source->parsed = head[2];
	}
	while (source->parsed < MOST_BYTES) {
		const uint64_t at = source->parsed;
		const long size = wcm__pread(fd, &record, sizeof(record), at);

		if (size < PREFIX || record.size < PREFIX || record.size > source->size - at)
			return;
		if (size == sizeof(record) && !take_record(source, &record, at))
			return;
		source->parsed += record.size;
	}
}

/* Open SOURCE's file.  -1: it is none that is believed. */
static int open_own(const struct source *source, struct stat *status)
{
	enum { NOBODY = 65534 }; /* owns what the user namespace has no user for */
	const unsigned user = wcm__geteuid();
	int fd = source->path[0] && user != NOBODY ? wcm__regular_open_own(source->path, user) : -1;

	if (fd >= 0 && wcm__fstat(fd, status) == 0)
		return fd;
	if (fd >= 0)
		wcm__close(fd);
	return -1;
}

static bool is_same(const struct source *source, const struct stat *status)
{
	return source->device == status->st_dev && source->inode == status->st_ino &&
	       source->size <= (uint64_t)status->st_size;
}

static void bring_up(struct source *source, void (*parse)(struct source *, int))
{
	struct stat status;
	const int fd = open_own(source, &status);

	if (fd < 0 || !is_same(source, &status)) {
		char path[LONGEST];

		memcpy(path, source->path, sizeof(path));
		forget(source);
		memcpy(source->path, path, sizeof(path));
	}
	if (fd < 0)
		return;
	source->device = status.st_dev;
	source->inode = status.st_ino;
	source->size = (uint64_t)status.st_size;
	parse(source, fd);
	wcm__close(fd);
}

/* Take PATH if it ends with NAME, of SIZE bytes. */
static void take_mapping(const char *path, const char *name, size_t size)
{
	const size_t length = strlen(path);

	if (length >= size && length < sizeof(dump.path) &&
	    memcmp(path + length - size, name, size) == 0)
		memcpy(dump.path, path, length + 1);
}

_Static_assert(sizeof(struct wcm_maps) <= CHUNK, "mappings are read in the chunk");

static void find_dump(void)
{
	struct wcm_maps *maps = (struct wcm_maps *)(void *)chunk;
	char name[32];
	const size_t size =
		wcm__format_numbered(name, sizeof(name), "/jit-", looked_for, ".dump");

	if (!wcm__maps_open(maps))
		return;
	while (!dump.path[0] && wcm__maps_next(maps))
		take_mapping(maps->path, name, size);
	wcm__maps_close(maps);
}

static bool look(void)
{
	const uint64_t now = wcm__clock_ns();
	const int self = wcm__process_id();

	if (self != looked_for) {
		forget(&map);
		forget(&dump);
		looked_at = 0;
		looked_for = self;
	}
	if (looked_at != 0 && now - looked_at < AGAIN_MS * UINT64_C(1000000))
		return true;
	if (!chunk && !(chunk = wcm__map(CHUNK)))
		return false;
	looked_at = now;
	wcm__format_numbered(map.path, sizeof(map.path), "/tmp/perf-", looked_for, ".map");
	bring_up(&map, parse_map);
	if (!dump.path[0])
		find_dump();
	bring_up(&dump, parse_dump);
	return true;
}

/* The name that SOURCE's file has at AT, if it is the file that was read; NULL: it is not. */
static const char *read_name(const struct source *source, uint64_t at)
{
	char *name = names[named++ % NAMES];
	struct stat status;
	const int fd = open_own(source, &status);
	long size = -1;

	if (fd >= 0 && is_same(source, &status))
		size = wcm__pread(fd, name, LONGEST - 1, at);
	if (fd >= 0)
		wcm__close(fd);
	if (size <= 0)
		return NULL;
	name[size] = '\0';
	for (char *end = name; *end; end++)
		if (*end == '\n' || *end == '\r')
			*end = '\0';
	return name[0] ? name : NULL;
}

static bool find_in(const struct source *source, uintptr_t address, struct wcm_symbol *symbol)
{
	const struct entry *entry = find(source, address);
	const char *name = entry ? read_name(source, entry->name) : NULL;

	if (!name)
		return false;
	symbol->name = name;
	symbol->address = (uintptr_t)entry->start;
	symbol->size = entry->size;
	symbol->offset = address - symbol->address;
	return true;
}

/* A handler that jumped away would keep it all for good: it waits. */
bool wcm__jit_name(uintptr_t address, struct wcm_symbol *symbol)
{
	const uint64_t patience = UINT64_C(20000000);
	const uint64_t mask = wcm__mask_add(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	bool found = false;

	if (wcm__owner_take(&owner, wcm__clock_ns() + patience, wcm__owner_has_ended) ==
	    WCM_OWNED) {
		found = look() && (find_in(&map, address, symbol) ||
				   find_in(&dump, address, symbol));
		wcm__owner_give_back(&owner);
	}
	wcm__mask_set(mask);
	return found;
}
