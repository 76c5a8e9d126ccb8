/* SPDX-License-Identifier: MIT */
/* link_watch.c (SAFE) - has the dynamic linker tell of what it loads and unloads.
 *
 * It calls a function that does nothing, where debuggers have a breakpoint: before its list
 * changes, and when that has.  What was loaded is mapped then, and nothing of it has run.  So
 * dlopen(3) itself is left as it is, which finds by its caller where to look for libraries.
 *
 * The function is a return and what fills its line up.  A jump is written from its end to its
 * beginning: all but its first bytes is never executed, and those change at once.  So no
 * thread need be held.  A breakpoint that is there already is left.
 */
#include "trace/sleds/sleds.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/modules/linked.h"
#include "core/os/read.h"
#include "trace/sleds/near_jump.h"
#include "trace/sleds/write_code.h"

enum { LOOK = 16 };

static uintptr_t patched; /* where the jump is; 0: nowhere */
static uint8_t jump[WCM_JUMP_SIZE], before[WCM_JUMP_SIZE];

static long write_first(int fd, const uint8_t *code)
{
	return wcm__code_write(fd, patched, code, WCM_JUMP_FIRST);
}

/* What is not executed yet, or no longer. */
static long write_tail(int fd, const uint8_t *code)
{
	enum { TAIL = WCM_JUMP_SIZE - WCM_JUMP_FIRST };

	return TAIL ? wcm__code_write(fd, patched + WCM_JUMP_FIRST, code + WCM_JUMP_FIRST, TAIL)
		    : 0;
}

static bool write_tail_first(int fd)
{
	if (write_tail(fd, jump) != 0)
		return false;
	wcm__code_synchronise();
	return write_first(fd, jump) == 0;
}

static bool begins_as(const uint8_t *code)
{
	return memcmp((const void *)patched, code, WCM_JUMP_FIRST) == 0;
}

static bool compose(uintptr_t at, uintptr_t entry)
{
	int error;
	const uintptr_t to = wcm__near_jump(at, at + WCM_JUMP_SIZE, entry, &error);

	return to != 0 && wcm__arch_jump(jump, at, to);
}

bool wcm__link_watch_begin(int fd, uintptr_t *pc)
{
	const uintptr_t entry = wcm__arch_empty_entry_address(pc);
	const uintptr_t function = wcm__linked_notifier();
	uint8_t code[LOOK];
	size_t at;

	if (patched)
		return true;
	if (!function || !entry || !wcm__read_memory(function, code, sizeof(code)) ||
	    !wcm__arch_empty_function(code, sizeof(code), &at) || at + WCM_JUMP_SIZE > LOOK ||
	    !compose(function + at, entry))
		return false;
	memcpy(before, code + at, sizeof(before));
	patched = function + at;
	if (write_tail_first(fd))
		return true;
	wcm__link_watch_end(fd);
	return false;
}

void wcm__link_watch_end(int fd)
{
	/* A debugger that has its breakpoint there now keeps what it found, and will write that
	 * back: the jump stays. */
	if (!patched || (!begins_as(jump) && !begins_as(before)))
		return;
	if (begins_as(jump) && write_first(fd, before) != 0)
		return;
	wcm__code_synchronise();
	write_tail(fd, before);
	patched = 0;
}
