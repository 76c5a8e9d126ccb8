/* SPDX-License-Identifier: MIT */
/* registered.c - code made at run time, without a frame pointer, whose frame description is
 * registered with libgcc, which judges.
 *
 *	registered WAY	frame, info, bases, table or table_info: by which call.  The stack in a
 *			call back from that code is libgcc's
 *	registered many	thousands come and go
 *	registered large	one table describes thousands, in no order
 *	registered late	the table is written after it has been registered
 *	registered none	it is deregistered before the call
 *	registered WAY HOW	the call back faults: crash, or unmapped, zeros or words: the
 *				table's memory being gone, or others'
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>
#ifndef ALONE
#include <whocallme.h>
#endif

void __register_frame(void *begin);
void __register_frame_table(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_info_bases(const void *begin, void *object, void *text, void *data);
void __register_frame_info_table(void *begin, void *object);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);

enum { MOST = 32, MANY = 3000, PAGE = 4096, STRIDE = 128 };

/* sub $0x48,%rsp; call *%rdi; add $0x48,%rsp; ret */
static const unsigned char function[] = { 0x48, 0x83, 0xec, 0x48, 0xff, 0xd7,
					  0x48, 0x83, 0xc4, 0x48, 0xc3 };

static unsigned char *code, *table;
static uintptr_t object[64][8];
static unsigned char described[128];
static void *list[2];
static const char *crash;
static volatile int after;

/* A CIE and an FDE for the function at AT, and the terminator, as .eh_frame has them. */
static void describe(unsigned char *to, uintptr_t at)
{
	static const unsigned char cie[] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78,
					     16, 1, 0x00, 0x0c, 7, 8, 0x90, 1, 0, 0 };
	static const unsigned char code_of[] = { 0, 0x44, 0x0e, 0x50, 0x46, 0x0e, 8, 0 };
	const uint32_t size = 28, back = sizeof(cie) + 4;
	const uintptr_t length = sizeof(function);
	unsigned char *fde = to + sizeof(cie);

	memcpy(to, cie, sizeof(cie));
	memcpy(fde, &size, 4);
	memcpy(fde + 4, &back, 4);
	memcpy(fde + 8, &at, 8);
	memcpy(fde + 16, &length, 8);
	memcpy(fde + 24, code_of, sizeof(code_of));
	memset(fde + 32, 0, 8);
}

#ifndef ALONE
struct stack {
	uintptr_t pc[MOST];
	size_t count;
};

static _Unwind_Reason_Code add(struct _Unwind_Context *context, void *data)
{
	struct stack *stack = data;

	if (stack->count < MOST && _Unwind_GetIP(context) != 0)
		stack->pc[stack->count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Where libgcc's stack goes on from the code, ours is the same. */
__attribute__((noinline)) static void compare(void)
{
	struct wcm_frame frames[MOST];
	struct stack theirs = { .count = 0 };
	size_t count = wcm_stack_capture(frames, MOST, 0, NULL), i = 0;

	_Unwind_Backtrace(add, &theirs);
	for (i = 1; i < theirs.count && i < count && frames[i].pc == theirs.pc[i]; i++)
		if (frames[i].flags & WCM_FRAME_GUESSED)
			break;
	printf("%zu of %zu\n", i, theirs.count);
	after = 1;
}
#endif

__attribute__((noinline)) static void call_back(void)
{
	if (crash)
		*(volatile int *)16 = 1;
#ifndef ALONE
	else
		compare();
#endif
	after = 1;
}

__attribute__((noinline)) static void call(unsigned char *made)
{
	((void (*)(void (*)(void)))(uintptr_t)made)(call_back);
	after = 1;
}

static void enter(const char *way, void *begin)
{
	if (strcmp(way, "frame") == 0)
		__register_frame(begin);
	else if (strcmp(way, "info") == 0)
		__register_frame_info(begin, object[0]);
	else if (strcmp(way, "bases") == 0)
		__register_frame_info_bases(begin, object[0], NULL, NULL);
	else if (strcmp(way, "table") == 0)
		__register_frame_table(list);
	else if (strcmp(way, "table_info") == 0)
		__register_frame_info_table(list, object[0]);
}

/* One in three stays, and of these one in two is another one by now. */
static void many(void)
{
	for (int i = 0; i < MANY; i++)
		__register_frame(table + i * STRIDE);
	for (int i = 0; i < MANY; i++)
		if (i % 3 != 0)
			__deregister_frame(table + i * STRIDE);
	for (int i = 0; i < MANY; i++)
		if (i % 3 == 1)
			__register_frame(table + i * STRIDE);
	call(code + (MANY - 3) * 16);
	call(code + (MANY - 2) * 16);
	call(code);
	call(code + 16);
}

/* The functions of two FDEs that follow each other are far apart. */
static void large(void)
{
	const size_t cie = 24, size = 32;
	unsigned char *fde = table + cie;

	for (uint32_t i = 0; i < MANY; i++, fde += size) {
		const uint32_t back = (uint32_t)(fde + 4 - table);
		const uintptr_t at = (uintptr_t)code + (uintptr_t)(i * 1001 % MANY) * 16;

		describe(described, at);
		memcpy(fde, described + cie, size);
		memcpy(fde + 4, &back, 4);
	}
	memset(fde, 0, 8);
	__register_frame(table);
	for (int i = 0; i < 4; i++)
		call(code + (i < 2 ? i : MANY + 1 - i) * 16);
}

static void spoil(const char *how)
{
	if (strcmp(how, "unmapped") == 0)
		munmap(table, MANY * STRIDE);
	else if (strcmp(how, "zeros") == 0)
		memset(table, 0, MANY * STRIDE);
	else if (strcmp(how, "words") == 0)
		memset(table, 0x7f, MANY * STRIDE);
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "frame";
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	code = mmap(NULL, MANY * 16, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
	table = mmap(NULL, MANY * STRIDE, PROT_READ | PROT_WRITE, flags, -1, 0);
	for (int i = 0; i < MANY; i++) {
		memcpy(code + i * 16, function, sizeof(function));
		if (strcmp(way, "late") != 0)
			describe(table + i * STRIDE, (uintptr_t)code + (uintptr_t)i * 16);
	}
	list[0] = table;
#ifndef ALONE
	wcm_crash_install(NULL);
#endif
	if (strcmp(way, "many") == 0 || strcmp(way, "large") == 0) {
		(*way == 'm' ? many : large)();
		return 0;
	}
	if (strcmp(way, "late") == 0) {
		__register_frame_info(table, object[0]);
		describe(table, (uintptr_t)code);
	}
	if (strcmp(way, "none") == 0) {
		__register_frame(table);
		call(code);
		__deregister_frame(table);
	}
	enter(way, table);
	crash = argc > 2 ? argv[2] : NULL;
	if (crash)
		spoil(crash);
	call(code);
	return 0;
}
