/* SPDX-License-Identifier: MIT */
/* code_page.h - a page for code, next to which nothing is mapped, and code as text. */
#ifndef WCM_SUPPORT_CODE_PAGE_H
#define WCM_SUPPORT_CODE_PAGE_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "support/check.h"

enum { LONGEST = 24, W = sizeof(uintptr_t) };

/* Whose instructions these are; those with a REX prefix are x86-64's alone. */
#if defined(__x86_64__)
enum { IS_X86_64 = 1, IS_I386 = 0, PC = REG_RIP };
#elif defined(__i386__)
enum { IS_X86_64 = 0, IS_I386 = 1, PC = REG_EIP };
#else
enum { IS_X86_64 = 0, IS_I386 = 0, PC = 0 };
#endif

static unsigned char *page; /* the one between two that cannot be read */

static void need(bool is_there)
{
	if (!is_there)
		SKIP("there is none in this CPU's port");
	if (page)
		return;
	page = mmap(NULL, 3 * WCM_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	CHECK(page != MAP_FAILED);
	page += WCM_PAGE;
	CHECK_EQ(mprotect(page, WCM_PAGE, PROT_READ | PROT_WRITE), 0);
}

/* An endbr64 stands for i386's endbr32, too. */
static size_t decode(unsigned char *to, const char *text)
{
	size_t size = 0;
	char *end;

	for (; *text; size++, text = end)
		to[size] = (unsigned char)strtoul(text, &end, 16);
	CHECK(size <= LONGEST);
	for (size_t i = 0; IS_I386 && i + 4 <= size; i++)
		if (memcmp(to + i, "\xf3\x0f\x1e\xfa", 4) == 0)
			to[i + 3] = 0xfb;
	return size;
}

#endif
