/* SPDX-License-Identifier: MIT */
/* demangle.c (SAFE) - demangles names as they are written, in any state of the process.
 *
 * The demangler is libiberty's, in a copy of its own (core/demangler/copy.sh).  It
 * recurses, allocates for some names, and repeats what some others stand for; a name
 * may be made to have it do so.  So it runs on a stack that is mapped for the work,
 * with bounded memory and bounded text.  Beyond any bound, or if it faults, the work
 * is given up and the name stays mangled.
 */
#include "core/report/demangle.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/demangler/demangler.h"
#include "core/os/attempt.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/unwatched.h"
#include "format/words.h"
#include "whocallme/symbol.h"

enum {
	GUARD = WCM_LARGEST_PAGE,
	STACK = 1 << 20, /* test/unit/test_demangle.c: a quarter of it is enough */
	SIGNAL_STACK = 64 << 10,
	TEXT = WCM_DEMANGLED_MOST,
	MEMORY = 64 << 10,
	/* libiberty itself refuses longer names of C++, which recurse most. */
	LONGEST = 1024,
	/* Where there is no stack to be had but the caller's: about 100 bytes of it for
	 * a character. */
	LONGEST_ON_ANY_STACK = 256,
	/* Three of them multiply a type by three at best: 3^(32 / 3). */
	MOST_REFERENCES = 32,
	/* Each doubles the work: 2^10. */
	MOST_RETRIED = 10,
	/* Where a name of Rust is read and not written, it may count 2^64 lifetimes. */
	MOST_NUMBERS = 4 << 10,
};

/* The work, and the stack that it is done on. */
struct work {
	char guard[GUARD];
	char stack[STACK];
	const char *name;
	char known[LONGEST + 1]; /* in its place, where demanglers do not know it */
	bool is_short;
	size_t text_used, memory_used, numbers;
	char signal_stack[SIGNAL_STACK];
	char text[TEXT];
	_Alignas(16) char memory[MEMORY];
};

static __thread struct work *current __attribute__((tls_model("initial-exec")));

void *wcm__demangle_allocate(size_t size)
{
	struct work *work = current;
	void *memory = work->memory + work->memory_used;

	size = (size + 15) & ~(size_t)15;
	if (size > MEMORY - work->memory_used)
		wcm__attempt_give_up();
	work->memory_used += size;
	return memory;
}

void wcm__demangle_count_number(void)
{
	if (++current->numbers > MOST_NUMBERS)
		wcm__attempt_give_up();
}

static void take(const char *text, size_t size, void *opaque)
{
	struct work *work = opaque;

	if (size >= TEXT - work->text_used)
		wcm__attempt_give_up();
	memcpy(work->text + work->text_used, text, size);
	work->text_used += size;
	work->text[work->text_used] = '\0';
}

/* By the ABI that a mangled name's first characters show: D's, Rust's, or that of C++,
 * which older Rust's are of, too. */
static void demangle(void *argument)
{
	struct work *work = argument;
	enum { PARAMETERS = 1, QUALIFIERS = 2 }; /* DMGL_PARAMS, DMGL_ANSI */
	const int style = PARAMETERS | QUALIFIERS;
	const char *plain;

	if (work->name[1] == 'D') {
		plain = wcm__demangler_d(work->name, 0);
		if (plain)
			take(plain, strlen(plain), work);
	} else if (!wcm__demangler_rust(work->name, style, take, work)) {
		work->text_used = 0;
		if (!wcm__demangler_cxx(work->name, style, take, work))
			work->text_used = 0;
	}
	if (wcm__format_printable(work->text) != work->text_used)
		work->text_used = 0;
	if (work->text_used > 0 && work->is_short)
		work->text_used = wcm_name_shorten(work->text);
}

/* Of the address sanitizer: frames that are never left would leave their marks. */
extern void __asan_unpoison_memory_region(const volatile void *start, size_t size)
	__attribute__((weak));

static void forget_frames(struct work *work)
{
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(work->stack, STACK);
}

static void demangle_or_escape(struct work *work)
{
	if (wcm__attempt(demangle, work))
		return;
	forget_frames(work);
	work->text_used = 0;
}

/* On the work's stack, where the kernel lets the alternate stack of signals be
 * exchanged: the caller may be on it, and what comes now must not be put on top of
 * that. */
static void work_aside(void *argument)
{
	struct work *work = argument;
	const stack_t aside = { .ss_sp = work->signal_stack,
				.ss_size = SIGNAL_STACK };
	stack_t before;
	const bool exchanged = wcm__sigaltstack(&aside, &before) == 0;

	demangle_or_escape(work);
	before.ss_flags &= ~SS_ONSTACK;
	if (exchanged)
		wcm__sigaltstack(&before, NULL);
}

static void do_work(struct work *work)
{
	struct work *outer = current;

	current = work;
	if (!wcm__arch_call_on(work->stack + STACK, work_aside, work) &&
	    strlen(work->name) <= LONGEST_ON_ANY_STACK)
		demangle_or_escape(work);
	current = outer;
}

static struct work *map_work(void)
{
	struct work *work = wcm__map_with(sizeof(*work), MAP_NORESERVE | MAP_STACK);

	if (work)
		wcm__mprotect(work, GUARD, PROT_NONE);
	return work;
}

/* What the last name was taken apart in, for the next: to map it takes longer than most
 * names do. */
static struct work *spare;

static struct work *take_work(void)
{
	struct work *work = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQ_REL);

	if (!work)
		work = map_work();
	if (work)
		work->text_used = work->memory_used = work->numbers = 0;
	return work;
}

static void put_back(struct work *work)
{
	struct work *other = __atomic_exchange_n(&spare, work, __ATOMIC_ACQ_REL);

	if (other)
		wcm__unmap(other, sizeof(*other));
}

/* Whether NAME is of a function that initialises a source file: its mangled part begins behind
 * WCM_OF_UNIT. */
static bool is_of_unit(const char *name)
{
	static const char of_unit[] = WCM_OF_UNIT;
	const char *rest = name + sizeof(of_unit) - 1;

	return strlen(name) >= sizeof(of_unit) &&
	       memcmp(name, of_unit, sizeof(of_unit) - 1) == 0 &&
	       (rest[0] == 'I' || rest[0] == 'D') && rest[1] == '_';
}

/* How many there are of FIRST, digits and capitals, and LAST. */
static unsigned count(const char *name, char first, const char *last)
{
	const size_t length = strlen(last);
	unsigned found = 0;

	for (const char *at = name; *at; at++) {
		const char *end = at + 1;

		if (*at != first)
			continue;
		while ((*end >= '0' && *end <= '9') || (*end >= 'A' && *end <= 'Z'))
			end++;
		found += strlen(end) >= length && memcmp(end, last, length) == 0;
	}
	return found;
}

static bool has(const char *name, const char *two)
{
	for (; name[0]; name++)
		if (name[0] == two[0] && name[1] == two[1])
			return true;
	return false;
}

/* Where libiberty takes time that grows with a power of the name's length, and writes
 * nothing that could be bounded: it looks for a parameter pack in all that a type refers
 * to, each time that it is referred to; and the arguments of a template in the type that
 * is converted to it reads twice, with those within.  Of 124,224 functions in a Debian
 * system's libraries this takes one for endless. */
static bool may_be_endless(const char *name)
{
	const bool expands = has(name, "Dp") || has(name, "sp") || has(name, "sZ");

	return (expands && count(name, 'S', "_") > MOST_REFERENCES) ||
	       (has(name, "cv") && count(name, 'T', "_I") > MOST_RETRIED);
}

/* Whether it begins as those of functions that the linker calls at the start, with or
 * without the part that demanglers do not know. */
static bool is_of_start(const char *name)
{
	static const char known[] = WCM_OF_UNIT_KNOWN;

	return strlen(name) >= sizeof(known) &&
	       memcmp(name, known, sizeof(known) - 1) == 0;
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D' ||
		is_of_start(name)) &&
	       strlen(name) <= LONGEST && !may_be_endless(name);
}

static void set_name(struct work *work, const char *name)
{
	static const char known[] = WCM_OF_UNIT_KNOWN;
	const char *rest = name + sizeof(WCM_OF_UNIT) - 1;

	work->name = name;
	if (!is_of_unit(name))
		return;
	memcpy(work->known, known, sizeof(known) - 1);
	memcpy(work->known + sizeof(known) - 1, rest, strlen(rest) + 1);
	work->name = work->known;
}

static size_t demangle_to(const char *name, bool is_short, char *room, size_t size)
{
	struct work *work;
	uint64_t mask;
	size_t used = 0;

	if (!is_mangled(name))
		return 0;
	mask = wcm__mask_add(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	work = take_work();
	if (work) {
		set_name(work, name);
		work->is_short = is_short;
		do_work(work);
		if (work->text_used < size)
			used = work->text_used;
		memcpy(room, work->text, used);
		put_back(work);
	}
	if (size > 0)
		room[used] = '\0';
	wcm__mask_set(mask);
	return used;
}

size_t wcm__demangle(const char *name, bool is_short, char *room, size_t size)
{
	size_t used;

	wcm__unwatched_begin();
	used = demangle_to(name, is_short, room, size);
	wcm__unwatched_end();
	return used;
}

static void add(struct wcm_line *line, const char *name, bool is_short)
{
	size_t size, used;
	char *room = wcm__line_room(line, &size);

	used = wcm__demangle(name, is_short, room, size);
	if (used > 0)
		wcm__line_use_room(line, used);
	else
		wcm__line_name(line, name);
}

void wcm__line_short(struct wcm_line *line, const char *name)
{
	add(line, name, true);
}

void wcm__line_demangled(struct wcm_line *line, const char *name)
{
	add(line, name, false);
}

wcm_name_writer *wcm__names_writer(enum wcm_names names)
{
	switch (names) {
	case WCM_NAMES_FULL:
		return wcm__line_demangled;
	case WCM_NAMES_MANGLED:
		return wcm__line_name;
	case WCM_NAMES_SHORT:
		break;
	}
	return wcm__line_short;
}
