/* SPDX-License-Identifier: MIT */
/* reason.c (SAFE) - finds out why abort() was called: a failed assertion, libc's own checks,
 * an exception.
 *
 * glibc keeps the message of a failed assertion, and of its own checks, in __abort_msg.
 * The C++ runtime keeps the exceptions that a thread has caught; std::terminate() is
 * called for the last of them.  All of it is read as memory that may be bad, by the
 * Itanium C++ ABI. what() is not called: its message is read where the object is a
 * std::runtime_error or a std::logic_error, or has one as a base.
 */
#include "crash/report/reason.h"

#include <stdint.h>
#include <string.h>

#include "core/modules/dynsym.h"
#include "core/modules/headers.h"
#include "core/os/clock.h"
#include "core/os/read.h"
#include "core/os/thread_pointer.h"
#include "core/report/demangle.h"
#include "core/report/frame.h"
#include "core/symbols/dlopen_names.h"
#include "core/unwind/walk.h"

enum { MOST_TEXT = 1024 };

static bool is(const char *text, const char *other)
{
	const size_t size = strlen(other) + 1;

	return strlen(text) + 1 == size && memcmp(text, other, size) == 0;
}

/* What is called on the way from a mistake to abort(); where the C++ runtime is. */
struct way {
	bool aborts, throws, terminates, is_pure;
	uintptr_t runtime;
};

static void see(struct way *way, const char *name, uintptr_t pc)
{
	const struct {
		const char *name;
		bool *is_seen;
	} seen[] = {
		{ "abort", &way->aborts },
		{ "__cxa_pure_virtual", &way->is_pure },
		{ "_ZSt9terminatev", &way->terminates },
		{ "_ZN9__gnu_cxx27__verbose_terminate_handlerEv", &way->terminates },
		{ "__cxa_throw", &way->throws },
		{ "__cxa_rethrow", &way->throws },
		{ "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
		  &way->throws },
		{ "__gxx_personality_v0", &way->throws },
	};

	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		if (is(name, seen[i].name))
			*seen[i].is_seen = true;
	if (way->throws && !way->runtime)
		way->runtime = pc;
}

static struct way find_way(const void *ucontext)
{
	enum { DEEPEST = 16 };
	struct way way = { 0 };
	struct wcm_symbol symbol;
	struct wcm_walk walk;

	wcm__walk_start_context(&walk, ucontext);
	for (int i = 0; i < DEEPEST && walk.stop == WCM_STOP_NONE; i++) {
		const struct wcm_placed placed = wcm__walk_placed(&walk);

		if (wcm__frame_symbol(&placed, &symbol))
			see(&way, symbol.name, wcm_frame_site(&walk.frame));
		wcm__walk_next(&walk);
	}
	return way;
}

struct search {
	const char *name;
	uintptr_t within; /* the module that holds this; 0: any */
	uintptr_t address;
};

static bool search_module(const struct wcm_module *module, void *data)
{
	struct search *search = data;
	uint64_t value;

	if (search->within && (search->within < module->lo || search->within >= module->hi))
		return true;
	if (wcm__dynsym_value(&module->dynsym, search->name, &value))
		search->address = module->bias + value;
	else
		wcm__dlopen_names_value(module, search->name, &search->address);
	return search->address == 0;
}

/* Where the first module, or that around WITHIN, defines NAME; 0: nowhere. */
static uintptr_t address_of(const char *name, uintptr_t within)
{
	struct search search = { name, within, 0 };

	wcm__modules_visit(search_module, &search);
	return search.address;
}

static bool read_word(uintptr_t address, uintptr_t *word)
{
	return wcm__read_memory(address, word, sizeof(*word));
}

/* Read the string at ADDRESS to TEXT, what of it fits in ROOM; its length. */
static size_t read_string(uintptr_t address, char *text, size_t room)
{
	size_t length;

	wcm__read_string(address, text, room, &length);
	return length;
}

/* struct abort_msg_s of glibc: the size of its mapping, then the text. */
static bool read_message(char *text, size_t room)
{
	const uintptr_t variable = address_of("__abort_msg", 0);
	uintptr_t message;
	size_t length;

	if (!variable || !read_word(variable, &message) || !message)
		return false;
	length = read_string(message + sizeof(unsigned), text, room);
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	return length > 0;
}

/* __cxa_exception: nine pointers and two numbers up to the unwinder's header, which is aligned
 * to its own 16 and has 32 bytes.  In front of the object that was thrown it begins with the
 * type; the runtime of clang has two words more in front of that, or, with addresses of 32
 * bits, one in front of the header. */
enum {
	WORD = sizeof(uintptr_t),
	UNWIND_HEADER = 32,
	TO_HEADER = (9 * WORD + 8 + 15) / 16 * 16,
	CLANG_BEFORE = WORD == 8 ? 2 * WORD : 0,
	TYPE_BEFORE = TO_HEADER + UNWIND_HEADER,
};

/* The thrown object of the exception that was caught last; 0: none.  The header begins with
 * whose exception it is: behind the header is the object, or in front of a dependent one's
 * fields the address of it. */
static uintptr_t thrown_object(uintptr_t exception)
{
	static const struct {
		uint64_t class;
		unsigned header, primary;
	} runtimes[] = {
		{ 0x474e5543432b2b00 /* GNUCC++ */, TO_HEADER, 0 },
		{ 0x434c4e47432b2b00 /* CLNGC++ */, CLANG_BEFORE + TO_HEADER,
		  CLANG_BEFORE ? WORD : TO_HEADER - WORD },
	};
	uintptr_t object;
	uint64_t class;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (!wcm__read_memory(exception + runtimes[i].header, &class, sizeof(class)) ||
		    (class & ~(uint64_t)0xff) != runtimes[i].class)
			continue;
		if ((class & 0xff) == 0)
			return exception + runtimes[i].header + UNWIND_HEADER;
		if (read_word(exception + runtimes[i].primary, &object))
			return object;
	}
	return 0;
}

/* The C++ RUNTIME has called this on the way here, so that it only returns where
 * the thread's exceptions are: a pointer to the last is first. */
static uintptr_t last_exception(uintptr_t runtime)
{
	void *(*globals)(void);
	uintptr_t function = address_of("__cxa_get_globals_fast", runtime), exception;

	if (!function)
		function = address_of("__cxa_get_globals", runtime);
	if (!function || wcm__thread_pointer_is_lent())
		return 0;
	memcpy(&globals, &function, sizeof(globals));
	return read_word((uintptr_t)globals(), &exception) ? exception : 0;
}

/* std::type_info: its table, then its NAME, which may have an asterisk in front. */
static bool read_type(uintptr_t object, uintptr_t *name, char *mangled, size_t room)
{
	static const char prefix[] = "_ZTI";
	uintptr_t type;
	char first;

	if (!read_word(object - TYPE_BEFORE, &type) ||
	    !read_word(type + sizeof(uintptr_t), name) ||
	    !wcm__read_memory(*name, &first, 1))
		return false;
	memcpy(mangled, prefix, sizeof(prefix));
	return read_string(*name + (first == '*'), mangled + sizeof(prefix) - 1,
			   room - (sizeof(prefix) - 1)) > 0;
}

/* Whether a module has it mapped from its file, and nobody can have written it. */
static bool is_constant(uintptr_t address)
{
	const ElfW(Phdr) *segment;
	struct wcm_headers headers;
	struct wcm_module module;

	if (!wcm__module_find_mapped(&module, address) ||
	    !wcm__headers_read(&headers, module.bias, (uintptr_t)module.phdr, module.phnum,
			       false))
		return false;
	segment = wcm__headers_segment(&headers, address);
	return segment && !(segment->p_flags & PF_W);
}

/* What the type whose mangled name is behind "_ZTI" in MANGLED is called. */
static void name_type(const char *mangled, char *type, size_t room)
{
	static const char prefix[] = "typeinfo for ";
	const size_t behind = sizeof(prefix) - 1;
	size_t length = wcm__demangle(mangled, false, type, room);

	if (length > behind && memcmp(type, prefix, behind) == 0) {
		memmove(type, type + behind, length - behind + 1);
		return;
	}
	length = strlen(mangled + 4);
	memcpy(type, mangled + 4, length + 1);
}

static bool begins(const char *text, const char *other)
{
	while (*other != '\0' && *text == *other)
		text++, other++;
	return *other == '\0';
}

/* Name the function that entry INDEX of the table of the object at ADDRESS leads to. */
static bool name_virtual(uintptr_t address, unsigned index, struct wcm_symbol *symbol)
{
	uintptr_t table, function;

	return read_word(address, &table) &&
	       read_word(table + index * sizeof(uintptr_t), &function) &&
	       wcm__dlopen_names_peek_for_report(NULL, function, symbol) == WCM_OK;
}

/* The third is what(); its message is the member behind the table's address. */
static bool has_message(uintptr_t object)
{
	struct wcm_symbol what;

	return name_virtual(object, 2, &what) &&
	       (is(what.name, "_ZNKSt13runtime_error4whatEv") ||
		is(what.name, "_ZNKSt11logic_error4whatEv"));
}

static bool read_pointed(uintptr_t pointer, char *text, size_t room)
{
	uintptr_t message;

	return read_word(pointer, &message) && read_string(message, text, room) > 0;
}

/* Who looks for a message in an object and its bases: in so many of these at most. */
struct look {
	char *text;
	size_t room;
	unsigned left;
};

static bool look_into(struct look *look, uintptr_t object, uintptr_t type);

/* An element of __base_info: the type; in the second word flags, and the offset, which
 * for a virtual base is where in the object's table its offset is. */
static bool look_into_base(struct look *look, uintptr_t object, uintptr_t base)
{
	enum { VIRTUAL = 1, PUBLIC = 2, OFFSET_SHIFT = 8 };
	uintptr_t type, word, table, offset;

	if (!read_word(base, &type) || !read_word(base + sizeof(word), &word) ||
	    !(word & PUBLIC))
		return false;
	offset = (uintptr_t)((intptr_t)word >> OFFSET_SHIFT);
	if ((word & VIRTUAL) &&
	    (!read_word(object, &table) || !read_word(table + offset, &offset)))
		return false;
	return look_into(look, object + offset, type);
}

/* By the classes of which type_info objects are (Itanium C++ ABI, 2.9.5): one base where
 * the object begins, or any number.  Their destructor is the first of their table. */
static bool look_into(struct look *look, uintptr_t object, uintptr_t type)
{
	enum { MEMBERS = 2 * WORD, ELEMENT = 2 * WORD };
	struct wcm_symbol kind;
	uint32_t counts[2];
	uintptr_t base;

	if (look->left == 0)
		return false;
	look->left--;
	if (has_message(object))
		return read_pointed(object + WORD, look->text, look->room);
	if (!name_virtual(type, 0, &kind))
		return false;
	if (begins(kind.name, "_ZN10__cxxabiv120__si_class_type_infoD"))
		return read_word(type + MEMBERS, &base) && look_into(look, object, base);
	if (!begins(kind.name, "_ZN10__cxxabiv121__vmi_class_type_infoD") ||
	    !wcm__read_memory(type + MEMBERS, counts, sizeof(counts)))
		return false;
	base = type + MEMBERS + sizeof(counts);
	for (uint32_t i = 0; i < counts[1] && look->left > 0; i++, base += ELEMENT)
		if (look_into_base(look, object, base))
			return true;
	return false;
}

static bool read_what(uintptr_t object, const char *mangled, char *text, size_t room)
{
	enum { MOST_BASES = 32 };
	struct look look = { text, room, MOST_BASES };
	uintptr_t type;

	if (is(mangled, "_ZTIPKc"))
		return read_pointed(object, text, room);
	return read_word(object - TYPE_BEFORE, &type) && look_into(&look, object, type);
}

static bool read_exception(struct wcm_reason *reason, uintptr_t runtime)
{
	static char mangled[MOST_TEXT], type[MOST_TEXT], what[MOST_TEXT];
	const uintptr_t exception = last_exception(runtime);
	const uintptr_t object = exception ? thrown_object(exception) : 0;
	uintptr_t name;

	if (!object || !read_type(object, &name, mangled, sizeof(mangled)))
		return false;
	reason->is_constant = is_constant(name);
	name_type(mangled, type, sizeof(type));
	reason->type = type;
	if (read_what(object, mangled, what, sizeof(what)))
		reason->what = what;
	return true;
}

bool wcm__reason_find(struct wcm_reason *reason, const void *ucontext)
{
	static char text[MOST_TEXT];
	const struct way way = find_way(ucontext);

	*reason = (struct wcm_reason){ 0 };
	if (!way.aborts)
		return false;
	if (way.is_pure)
		reason->text = "a pure virtual function was called";
	else if (way.throws && read_exception(reason, way.runtime))
		reason->text = "uncaught exception of type ";
	else if (way.terminates)
		reason->text = "std::terminate() was called";
	else if (read_message(text, sizeof(text)))
		reason->text = text;
	return true;
}

bool wcm__reason_is_abort(const void *ucontext)
{
	const uint64_t patience = 1000000000;
	bool aborts;

	wcm__dlopen_names_for_report(wcm__clock_ns() + patience);
	aborts = find_way(ucontext).aborts;
	wcm__dlopen_names_for_report(0);
	return aborts;
}
