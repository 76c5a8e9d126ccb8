/* SPDX-License-Identifier: MIT */
/* system_numbers.c (SAFE) - numbers of system calls: plain ones, names, bits, modes, signals. */
#include <fcntl.h>
#include <sys/stat.h>

#include "trace/system/system_kinds.h"

WCM_GROUP(file_type);
WCM_GROUP(mode_bits);
WCM_GROUP(open);
WCM_GROUP(shm_get);
WCM_GROUP(signal_name);

enum {
	REAL_TIME = 32, /* the kernel's first signal of that kind; libc keeps some of them */
	MOST_SIGNAL = 64,
};

void wcm__system_hex(struct wcm_words *words, uint64_t number)
{
	if (number == 0)
		wcm__words_text(words, "0");
	else
		wcm__words_hex(words, number);
}

/* The name of the value at ROW is put where it is within LEFT, whose bits it then loses. */
static bool take_row(struct wcm_words *words, unsigned row, uint64_t mask, uint64_t *left,
		     bool is_first)
{
	const uint64_t value = wcm__system_values[row];
	const uint64_t bits = mask ? mask : value;

	if (bits == 0 || (*left & bits) != (value & bits))
		return false;
	if (!is_first)
		wcm__words_text(words, "|");
	wcm__words_text(words, wcm__system_names + wcm__system_value_names[row]);
	*left &= ~bits;
	return true;
}

/* Within a mask one value is found at most. */
void wcm__system_group(struct wcm_words *words, uint8_t group, uint64_t number)
{
	const struct wcm_system_group *rows = &wcm__system_groups[group];
	bool is_first = true, is_found = false;
	uint64_t left = number, mask = 0;

	for (unsigned row = rows->first; row < (unsigned)rows->first + rows->count; row++) {
		if (wcm__system_value_names[row] == 0) {
			mask = wcm__system_values[row];
			is_found = false;
		} else if (!(mask && is_found) &&
			   take_row(words, row, mask, &left, is_first)) {
			is_first = false;
			is_found = true;
		}
	}
	if (left == 0 && !is_first)
		return;
	if (!is_first)
		wcm__words_text(words, "|");
	wcm__system_hex(words, left);
}

void wcm__system_put_group(const struct wcm_system_value *value)
{
	wcm__system_group(value->words, value->number, value->value);
}

/* 0x401 (O_WRONLY|O_APPEND); 0 where that has no name. */
void wcm__system_put_named(const struct wcm_system_value *value)
{
	wcm__system_hex(value->words, value->value);
	if (value->value == 0 && value->number != wcm__group_open)
		return;
	wcm__words_text(value->words, " (");
	wcm__system_group(value->words, value->number, value->value);
	wcm__words_text(value->words, ")");
}

void wcm__system_put_number(const struct wcm_system_value *value)
{
	wcm__words_signed(value->words, (int64_t)value->value);
}

void wcm__system_put_offset(const struct wcm_system_value *value)
{
	wcm__system_put_number(value);
}

void wcm__system_put_unsigned(const struct wcm_system_value *value)
{
	wcm__words_unsigned(value->words, value->value);
}

void wcm__system_put_size(const struct wcm_system_value *value)
{
	wcm__system_put_unsigned(value);
}

/* As it is, without marks. */
void wcm__system_put_plain(const struct wcm_system_value *value)
{
	wcm__words_id(value->words, (int64_t)value->value);
}

void wcm__system_put_id(const struct wcm_system_value *value)
{
	wcm__system_put_plain(value);
}

void wcm__system_put_fd(const struct wcm_system_value *value)
{
	wcm__system_put_id(value);
	wcm__words_descriptor_path(value->words, (int)value->value);
}

/* All bits set say "none", or "as it is". */
void wcm__system_put_uid(const struct wcm_system_value *value)
{
	wcm__words_id(value->words, value->value == UINT32_MAX ? -1 : (int64_t)value->value);
}

void wcm__system_put_dirfd(const struct wcm_system_value *value)
{
	if ((int64_t)value->value == AT_FDCWD)
		wcm__words_text(value->words, "AT_FDCWD");
	else
		wcm__system_put_id(value);
	wcm__words_directory_path(value->words, (int)value->value);
}

void wcm__system_put_hex(const struct wcm_system_value *value)
{
	wcm__system_hex(value->words, value->value);
}

void wcm__system_put_address(const struct wcm_system_value *value)
{
	wcm__words_address(value->words, (uintptr_t)value->value);
}

void wcm__system_put_new_address(const struct wcm_system_value *value)
{
	wcm__system_put_address(value);
}

void wcm__system_put_nothing(const struct wcm_system_value *value)
{
	wcm__words_text(value->words, "?");
}

void wcm__system_put_mode(const struct wcm_system_value *value)
{
	wcm__words_octal(value->words, value->value);
}

void wcm__system_put_create_mode(const struct wcm_system_value *value)
{
	wcm__system_put_mode(value);
}

/* S_IFREG|0644 */
void wcm__system_put_file_mode(const struct wcm_system_value *value)
{
	const uint32_t mode = (uint32_t)value->value, bits = S_ISUID | S_ISGID | S_ISVTX;
	struct wcm_words *words = value->words;

	if (mode & S_IFMT) {
		wcm__system_group(words, wcm__group_file_type, mode & S_IFMT);
		wcm__words_text(words, "|");
	}
	if (mode & bits) {
		wcm__system_group(words, wcm__group_mode_bits, mode & bits);
		wcm__words_text(words, "|");
	}
	wcm__words_octal(words, mode & ~(bits | S_IFMT));
}

void wcm__system_put_ipc_mode(const struct wcm_system_value *value)
{
	const uint32_t bits = (uint32_t)value->value & ~(uint32_t)0777;

	if (bits) {
		wcm__system_group(value->words, wcm__group_shm_get, bits);
		wcm__words_text(value->words, "|");
	}
	wcm__words_octal(value->words, value->value & 0777);
}

void wcm__system_put_device(const struct wcm_system_value *value)
{
	const uint64_t number = value->value;

	wcm__words_text(value->words, "makedev(");
	wcm__system_hex(value->words, (number >> 8 & 0xfff) | (number >> 32 & 0xfffff000));
	wcm__words_text(value->words, ", ");
	wcm__system_hex(value->words, (number & 0xff) | (number >> 12 & 0xffffff00));
	wcm__words_text(value->words, ")");
}

/* SIGINT, SIGRTMIN, SIGRT_1. */
void wcm__system_signal(struct wcm_words *words, uint64_t number)
{
	if (number == REAL_TIME) {
		wcm__words_text(words, "SIGRTMIN");
	} else if (number > REAL_TIME && number <= MOST_SIGNAL) {
		wcm__words_text(words, "SIGRT_");
		wcm__words_id(words, (int64_t)number - REAL_TIME);
	} else if (number > 0 && number < REAL_TIME) {
		wcm__system_group(words, wcm__group_signal_name, number);
	} else {
		wcm__words_id(words, (int32_t)number);
	}
}

void wcm__system_put_signal(const struct wcm_system_value *value)
{
	wcm__system_signal(value->words, value->value);
}

static void put_set_member(struct wcm_words *words, unsigned signal)
{
	char room[16];
	struct wcm_words name;

	wcm__words_init(&name, room, sizeof(room));
	wcm__system_signal(&name, signal);
	wcm__words_span(words, name.begin + 3, wcm__words_length(&name) - 3);
}

/* [INT TERM]; ~[KILL STOP] is all but two. */
void wcm__system_put_signal_set(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	uint64_t set = value->value;
	unsigned count = 0;
	bool is_first = true;

	for (uint64_t left = set; left; left &= left - 1)
		count++;
	if (count > MOST_SIGNAL / 2) {
		set = ~set;
		wcm__words_text(words, "~");
	}
	wcm__words_text(words, "[");
	for (unsigned signal = 1; signal <= MOST_SIGNAL; signal++)
		if (set >> (signal - 1) & 1) {
			wcm__words_text(words, is_first ? "" : " ");
			put_set_member(words, signal);
			is_first = false;
		}
	wcm__words_text(words, "]");
}
