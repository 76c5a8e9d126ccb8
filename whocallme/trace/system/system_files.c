/* SPDX-License-Identifier: MIT */
/* system_files.c (SAFE) - structs of files, and what fcntl() and ioctl() take. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <termios.h>

#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(close_on_exec);
WCM_GROUP(lock_type);
WCM_GROUP(open);
WCM_GROUP(seals);
WCM_GROUP(statx_mask);
WCM_GROUP(whence);

static void put_open(struct wcm_words *words, uint64_t flags)
{
	wcm__system_group(words, wcm__group_open, flags);
}

void wcm__system_put_open_how(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	uint64_t how[3]; /* flags, mode, resolve */

	if (!wcm__system_fetch(value, how, sizeof(how)))
		return;
	wcm__system_member(words, "{flags=", how[0], put_open);
	if (how[1])
		wcm__system_member(words, ", mode=", how[1], wcm__system_octal);
	wcm__system_member(words, ", resolve=", how[2], wcm__system_hex);
	wcm__words_text(words, "}");
}

void wcm__system_put_stat(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct stat file;

	if (!wcm__system_fetch(value, &file, sizeof(file)))
		return;
	wcm__system_member(words, "{st_mode=", file.st_mode, wcm__system_file_mode);
	if (S_ISCHR(file.st_mode) || S_ISBLK(file.st_mode))
		wcm__system_member(words, ", st_rdev=", file.st_rdev, wcm__system_device);
	else
		wcm__system_member(words, ", st_size=", (uint64_t)file.st_size,
				   wcm__system_signed);
	wcm__words_text(words, ", ...}");
}

static void put_statx_mask(struct wcm_words *words, uint64_t mask)
{
	wcm__system_group(words, wcm__group_statx_mask, mask);
}

/* The first members of the kernel's struct statx. */
struct first_of_statx {
	uint32_t mask, block_size;
	uint64_t attributes;
	uint32_t links, uid, gid;
	uint16_t mode, spare;
	uint64_t inode, size;
};

void wcm__system_put_statx(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct first_of_statx file;

	if (!wcm__system_fetch(value, &file, sizeof(file)))
		return;
	wcm__system_member(words, "{stx_mask=", file.mask, put_statx_mask);
	wcm__system_member(words, ", stx_mode=", file.mode, wcm__system_file_mode);
	wcm__system_member(words, ", stx_size=", file.size, wcm__words_unsigned);
	wcm__words_text(words, ", ...}");
}

void wcm__system_put_statfs(const struct wcm_system_value *value)
{
	struct wcm_words *words = value->words;
	struct statfs system;

	if (!wcm__system_fetch(value, &system, sizeof(system)))
		return;
	wcm__system_member(words, "{f_type=", (uint64_t)system.f_type, wcm__system_hex);
	wcm__system_member(words, ", f_bsize=", (uint64_t)system.f_bsize, wcm__words_unsigned);
	wcm__system_member(words, ", f_blocks=", system.f_blocks, wcm__words_unsigned);
	wcm__system_member(words, ", f_bfree=", system.f_bfree, wcm__words_unsigned);
	wcm__system_member(words, ", f_bavail=", system.f_bavail, wcm__words_unsigned);
	wcm__words_text(words, ", ...}");
}

bool wcm__fcntl_lacks(const struct wcm_system_call *call)
{
	switch (call->argument[1]) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return true;
	}
	return false;
}

static void put_lock_type(struct wcm_words *words, uint64_t type)
{
	wcm__system_group(words, wcm__group_lock_type, type);
}

static void put_whence(struct wcm_words *words, uint64_t whence)
{
	wcm__system_group(words, wcm__group_whence, whence);
}

/* What is asked for is there before the call, too. */
static void put_lock(const struct wcm_system_value *value)
{
	struct wcm_system_value given = *value;
	struct wcm_words *words = value->words;
	struct flock lock;

	given.is_later = false;
	if (!wcm__system_fetch(&given, &lock, sizeof(lock)))
		return;
	wcm__system_member(words, "{l_type=", (uint16_t)lock.l_type, put_lock_type);
	wcm__system_member(words, ", l_whence=", (uint16_t)lock.l_whence, put_whence);
	wcm__system_member(words, ", l_start=", (uint64_t)lock.l_start, wcm__system_signed);
	wcm__system_member(words, ", l_len=", (uint64_t)lock.l_len, wcm__system_signed);
	if (value->call->argument[1] == F_GETLK && value->is_done)
		wcm__system_member(words, ", l_pid=", (uint64_t)lock.l_pid, wcm__system_id);
	wcm__words_text(words, "}");
}

void wcm__system_put_fcntl_argument(const struct wcm_system_value *value)
{
	const uint64_t argument = value->value;

	switch (value->call->argument[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
		wcm__system_put_id(value);
		break;
	case F_SETFD:
		wcm__system_group(value->words, wcm__group_close_on_exec, (uint32_t)argument);
		break;
	case F_SETFL:
		put_open(value->words, (uint32_t)argument);
		break;
	case F_ADD_SEALS:
		wcm__system_group(value->words, wcm__group_seals, (uint32_t)argument);
		break;
	case F_SETSIG:
		wcm__system_put_signal(value);
		break;
	case F_SETLEASE:
		put_lock_type(value->words, (uint32_t)argument);
		break;
	case F_SETPIPE_SZ:
		wcm__system_put_size(value);
		break;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		put_lock(value);
		break;
	default:
		wcm__system_put_hex(value);
	}
}

/* 0x401 (O_WRONLY|O_APPEND) */
static void put_with_names(const struct wcm_system_value *value, uint8_t group)
{
	wcm__system_hex(value->words, value->value);
	wcm__words_text(value->words, " (");
	wcm__system_group(value->words, group, (uint32_t)value->value);
	wcm__words_text(value->words, ")");
}

void wcm__system_put_fcntl_result(const struct wcm_system_value *value)
{
	switch (value->call->argument[1]) {
	case F_GETFL:
		put_with_names(value, wcm__group_open);
		break;
	case F_GETFD:
	case F_GET_SEALS:
		if (value->value == 0)
			wcm__system_put_id(value);
		else
			put_with_names(value, value->call->argument[1] == F_GETFD ?
						      wcm__group_close_on_exec :
						      wcm__group_seals);
		break;
	case F_GETLEASE:
		put_lock_type(value->words, (uint32_t)value->value);
		break;
	case F_GETSIG:
		wcm__system_put_signal(value);
		break;
	case F_GETPIPE_SZ:
	case F_SETPIPE_SZ:
		wcm__system_put_size(value);
		break;
	default:
		wcm__system_put_id(value);
	}
}

static void put_terminal(const struct wcm_system_value *value)
{
	static const char *const names[] = { "{c_iflag=", ", c_oflag=", ", c_cflag=",
					     ", c_lflag=" };
	uint32_t flags[4]; /* the first members of the kernel's struct termios */

	if (!wcm__system_fetch(value, flags, sizeof(flags)))
		return;
	for (unsigned i = 0; i < 4; i++)
		wcm__system_member(value->words, names[i], flags[i], wcm__system_hex);
	wcm__words_text(value->words, ", ...}");
}

static void put_window(const struct wcm_system_value *value)
{
	struct winsize window;

	if (!wcm__system_fetch(value, &window, sizeof(window)))
		return;
	wcm__system_member(value->words, "{ws_row=", window.ws_row, wcm__words_unsigned);
	wcm__system_member(value->words, ", ws_col=", window.ws_col, wcm__words_unsigned);
	wcm__system_member(value->words, ", ws_xpixel=", window.ws_xpixel, wcm__words_unsigned);
	wcm__system_member(value->words, ", ws_ypixel=", window.ws_ypixel, wcm__words_unsigned);
	wcm__words_text(value->words, "}");
}

void wcm__system_put_ioctl_argument(const struct wcm_system_value *value)
{
	const unsigned long command = (unsigned)value->call->argument[1];
	struct wcm_system_value given = *value;

	given.is_later = false;
	if (command == TIOCGWINSZ)
		put_window(value);
	else if (command == TIOCSWINSZ)
		put_window(&given);
	else if (command == TCGETS)
		put_terminal(value);
	else if (command == TCSETS || command == TCSETSW || command == TCSETSF)
		put_terminal(&given);
	else if (command == FIONREAD || command == TIOCOUTQ || command == TIOCGPGRP ||
		 command == TIOCGSID || command == TIOCGPTN)
		wcm__system_put_id_pointer(value);
	else if (command == FIONBIO || command == FIOASYNC || command == TIOCSPGRP ||
		 command == TIOCSPTLCK)
		wcm__system_put_id_pointer(&given);
	else
		wcm__system_put_hex(value);
}
