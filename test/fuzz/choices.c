/* SPDX-License-Identifier: MIT */
/* choices.c - how data become an input. */
#include "fuzzer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/printable.h"

static unsigned next_byte(struct choices *choices)
{
	return choices->next < choices->end ? *choices->next++ : 0;
}

size_t choose(struct choices *choices, size_t bound)
{
	size_t value = next_byte(choices);

	for (size_t most = 256; most < bound; most <<= 8)
		value = value << 8 | next_byte(choices);
	return value % bound;
}

bool chance(struct choices *choices, unsigned in)
{
	return choose(choices, in) == in - 1;
}

uint64_t any_number(struct choices *choices)
{
	const unsigned bits = (unsigned)choose(choices, 65);
	uint64_t value = 0;

	switch (choose(choices, 4)) {
	case 0: /* near a power of two */
		value = bits < 64 ? UINT64_C(1) << bits : 0;
		return value + choose(choices, 17) - 8;
	case 1:
		return choose(choices, 256);
	default:
		for (unsigned i = 0; i < bits; i += 8)
			value = value << 8 | next_byte(choices);
		return value;
	}
}

const char *one_of(struct choices *choices, const char *const list[])
{
	size_t count = 0;

	while (list[count])
		count++;
	return list[choose(choices, count)];
}

void text_clear(struct text *text)
{
	text->size = 0;
}

void text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ NULL, 0, 0 };
}

static void make_room(struct text *text, size_t size)
{
	if (text->room - text->size > size)
		return;
	text->room = 2 * (text->room + size) + 256;
	text->bytes = realloc(text->bytes, text->room);
	if (!text->bytes)
		abort();
}

void text_put(struct text *text, const void *bytes, size_t size)
{
	make_room(text, size);
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

void text_print(struct text *text, const char *format, ...)
{
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	make_room(text, (size_t)size + 1);
	va_start(arguments, format);
	vsnprintf(text->bytes + text->size, (size_t)size + 1, format, arguments);
	va_end(arguments);
	text->size += (size_t)size;
}

void text_name(struct text *text, struct choices *choices)
{
	static const char *const names[] = {
		"main", "work", "a", "leaf", "operator new(unsigned long)", "??",
		"_ZN3foo3barEv", "f.cold", "g.part.0", "std::vector<int>::push_back(int)",
		"x y", "@plt", "puts@plt", "(anonymous)", "", "_RNvC5crate3run", NULL,
	};
	static const char *const parts[] = {
		"\033[31m", "\302\233", "\342\200\256", "\377", "\"", "\\", "\\x1b", "\t",
		"\\x0", " ", ":", "{", "\357\277\276", "\001", "'", "<", ";", "%s", "\r",
		"\360\220", "+0x", " at ", " (", ")", "\177", NULL,
	};

	if (!chance(choices, 4)) {
		text_print(text, "%s", one_of(choices, names));
		return;
	}
	for (size_t i = choose(choices, 6); i > 0; i--)
		text_print(text, "%s", choose(choices, 2) ? one_of(choices, parts)
							  : one_of(choices, names));
	if (chance(choices, 32))
		for (size_t i = choose(choices, 20000); i > 0; i--)
			text_put(text, "n", 1);
}

static void damage_once(struct text *text, struct choices *choices)
{
	const size_t at = choose(choices, text->size), left = text->size - at;
	size_t size = 1 + choose(choices, left < 64 ? left : 64), to;
	char copy[64];

	switch (choose(choices, 5)) {
	case 0:
		text->bytes[at] = (char)choose(choices, 256);
		break;
	case 1:
		text->bytes[at] ^= (char)(1 << choose(choices, 8));
		break;
	case 2: /* to another place */
		to = choose(choices, text->size - size + 1);
		memmove(text->bytes + to, text->bytes + at, size);
		break;
	case 3: /* away */
		memmove(text->bytes + at, text->bytes + at + size, left - size);
		text->size -= size;
		break;
	default: /* once more */
		memcpy(copy, text->bytes + at, size);
		make_room(text, size);
		memmove(text->bytes + at + size, text->bytes + at, left);
		memcpy(text->bytes + at, copy, size);
		text->size += size;
	}
}

void text_damage(struct text *text, struct choices *choices)
{
	if (!chance(choices, 4))
		return;
	for (size_t i = 1 + choose(choices, 6); i > 0 && text->size > 0; i--)
		damage_once(text, choices);
	if (chance(choices, 8))
		text->size = choose(choices, text->size + 1);
}

void check_printable(const char *text, size_t size)
{
	size_t length;

	for (size_t at = 0; at < size; at += length) {
		length = text[at] == '\n' || text[at] == '\t' ?
			1 : wcm__printable_length(text + at, size - at);
		if (length == 0)
			fuzz_fail("a raw byte %02x behind \"%.*s\"",
				  (unsigned char)text[at], (int)(at < 60 ? at : 60),
				  text + (at < 60 ? 0 : at - 60));
	}
}

void fuzz_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	dprintf(STDERR_FILENO, "ERROR: %s: ", fuzz_name);
	vdprintf(STDERR_FILENO, format, arguments);
	dprintf(STDERR_FILENO, "\n");
	va_end(arguments);
	abort();
}

static char dir[64];
static pid_t owner;

static void remove_dir(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (getpid() == owner && system(command) != 0)
		perror(dir);
}

const char *fuzz_dir(void)
{
	const bool memory = access("/dev/shm", W_OK) == 0;

	if (*dir)
		return dir;
	snprintf(dir, sizeof(dir), "%s/%s-XXXXXX", memory ? "/dev/shm" : "/tmp",
		 fuzz_name);
	if (!mkdtemp(dir))
		fuzz_fail("%s: %s", dir, strerror(errno));
	owner = getpid();
	atexit(remove_dir);
	return dir;
}

void fuzz_write(const char *name, const struct text *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text->bytes, text->size) != (ssize_t)text->size)
		fuzz_fail("%s: %s", path, strerror(errno));
	close(fd);
}
