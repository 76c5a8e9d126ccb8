/* SPDX-License-Identifier: MIT */
/* names.c - how is this function called, asked over and over?
 *
 * A name is remembered as it is shown, if it is plain text and its module stays for
 * ever, or is seen to be there still.  An entry is taken by its key and told apart from
 * an unfinished one by its size, so that a reader in a handler sees all of it or
 * nothing.
 */
#include "hook/names.h"

#include <string.h>
#include <sys/mman.h>

#include "hook/guest.h"
#include "hook/opened.h"
#include "hook/roomy.h"
#include "report/format.h"
#include "symbols/modules.h"
#include "syscall.h"

enum { SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS, TRIES = 8, SHOWN_ROOM = 16 << 20,
       ERRORS = 4096 };

static struct entry {
	uintptr_t func;
	const char *name;
	const struct wcm_known_module *guest; /* that it is in; NULL: it stays */
	size_t size;
} entries[SLOTS];

static size_t slot_of(uintptr_t func)
{
	return (size_t)((uint64_t)func * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - SLOT_BITS));
}

static void add_bytes(struct wcm_line *line, const char *text, size_t size)
{
	if (line->count < WCM_LINE_PARTS)
		line->part[line->count++] =
			(struct iovec){ (void *)text, size };
}

/* Whether a name of FUNC's is good as long as *GUEST is what is there. */
static bool is_lasting(uintptr_t func, const struct wcm_known_module **guest)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(func, &state);

	*guest = NULL;
	if (module && module->permanent)
		return true;
	*guest = wcm__guest_find(func);
	return *guest && wcm__module_table(*guest);
}

/* What was made of mangled names, one behind the other. */
static char *shown;
static size_t shown_used;

static wcm_name_writer *show_by = wcm__line_name;

void wcm__names_show_by(wcm_name_writer *writer)
{
	long mapped;

	if (show_by == writer)
		return;
	mapped = wcm__syscall(SYS_mmap, 0, SHOWN_ROOM, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped > 0 || mapped < -ERRORS)
		shown = (char *)mapped;
	show_by = writer;
}

struct demangling {
	struct wcm_line *line;
	const char *name;
};

static void demangle(void *argument)
{
	const struct demangling *work = argument;

	show_by(work->line, work->name);
}

/* By the Itanium C++ ABI, and Rust's. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

void wcm__names_demangle(struct wcm_line *line, const char *name)
{
	struct demangling work = { line, name };

	if (is_mangled(name))
		wcm__roomy_call(demangle, &work);
	else
		wcm__line_name(line, name);
}

/* NAME as it is shown, to stay; NULL: there is no room for it. */
static const char *keep_shown(const char *name)
{
	struct wcm_line line;
	size_t size, at, used = 0;

	if (!is_mangled(name))
		return name;
	wcm__line_init(&line, -1);
	wcm__names_demangle(&line, name);
	for (int i = 0; i < line.count; i++)
		used += line.part[i].iov_len;
	at = __atomic_fetch_add(&shown_used, used + 1, __ATOMIC_RELAXED);
	if (!shown || at > SHOWN_ROOM - used - 1)
		return NULL;
	used = at;
	for (int i = 0; i < line.count; i++) {
		size = line.part[i].iov_len;
		memcpy(shown + used, line.part[i].iov_base, size);
		used += size;
	}
	return shown + at;
}

static void remember(struct entry *entry, uintptr_t func)
{
	struct wcm_symbol symbol;
	const struct wcm_known_module *guest;
	const char *name;
	uintptr_t free = 0;
	size_t size;

	if (!is_lasting(func, &guest) || wcm_symbol_peek(func, &symbol) != WCM_OK ||
	    (symbol.flags & WCM_SYMBOL_COLD))
		return;
	name = keep_shown(symbol.name);
	size = name ? strlen(name) : 0;
	if (size == 0 || wcm__format_printable(name) != size ||
	    !__atomic_compare_exchange_n(&entry->func, &free, func, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	entry->name = name;
	entry->guest = guest;
	__atomic_store_n(&entry->size, size, __ATOMIC_RELEASE);
}

void wcm__names_add(struct wcm_line *line, uintptr_t func)
{
	size_t slot = slot_of(func);
	struct wcm_symbol symbol;

	for (int i = 0; i < TRIES; i++, slot = (slot + 1) % SLOTS) {
		struct entry *entry = &entries[slot];
		uintptr_t key = __atomic_load_n(&entry->func, __ATOMIC_ACQUIRE);
		size_t size;

		if (key == func &&
		    (size = __atomic_load_n(&entry->size, __ATOMIC_ACQUIRE)) &&
		    (!entry->guest || wcm__guest_find(func) == entry->guest)) {
			add_bytes(line, entry->name, size);
			return;
		}
		if (key == 0) {
			remember(entry, func);
			break;
		}
	}
	wcm__opened_peek(func, &symbol);
	wcm__text_symbol(line, func, &symbol, wcm__names_demangle);
}
