/* SPDX-License-Identifier: MIT */
/* reason.c - why was abort() called?
 *
 * glibc keeps the message of a failed assertion, and of its own checks, in __abort_msg.
 * The C++ runtime keeps the exceptions that a thread has caught; std::terminate() is
 * called for the last of them.  All of it is read as memory that may be bad, by the
 * Itanium C++ ABI; what() is not called, but the message read where it is that of
 * std::runtime_error or std::logic_error.
 */
#include "crash/reason.h"

#include <stdint.h>
#include <string.h>

#include "report/demangle.h"
#include "report/frame.h"
#include "symbols/dynsym.h"
#include "unwind/read.h"
#include "unwind/walk.h"

enum { MOST_TEXT = 1024 };

static bool is(const char *text, const char *other)
{
	const size_t size = strlen(other) + 1;

	return strlen(text) + 1 == size && memcmp(text, other, size) == 0;
}

/* What is called on the way from a mistake to abort(). */
struct way {
	bool aborts, throws, terminates, is_pure;
};

static void see(struct way *way, const char *name)
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
}

static struct way find_way(const void *ucontext)
{
	enum { DEEPEST = 16 };
	struct way way = { 0 };
	struct wcm_symbol symbol;
	struct wcm_walk walk;

	wcm__walk_start_context(&walk, ucontext);
	for (int i = 0; i < DEEPEST && walk.stop == WCM_STOP_NONE; i++) {
		if (wcm__frame_symbol(&walk.frame, &symbol))
			see(&way, symbol.name);
		wcm__walk_next(&walk);
	}
	return way;
}

struct search {
	const char *name;
	uintptr_t address;
};

static bool search_module(const struct wcm_module *module, void *data)
{
	struct search *search = data;
	uint64_t value;

	if (!wcm__dynsym_value(&module->dynsym, search->name, &value))
		return true;
	search->address = module->bias + value;
	return false;
}

/* Where the first module that defines NAME has it; 0: nowhere. */
static uintptr_t address_of(const char *name)
{
	struct search search = { name, 0 };

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
	size_t length = 0;

	while (length + 1 < room && wcm__read_memory(address + length, text + length, 1) &&
	       text[length] != '\0')
		length++;
	text[length] = '\0';
	return length;
}

/* struct abort_msg_s of glibc: the size of its mapping, then the text. */
static bool read_message(char *text, size_t room)
{
	const uintptr_t variable = address_of("__abort_msg");
	uintptr_t message;
	size_t length;

	if (!variable || !read_word(variable, &message) || !message)
		return false;
	length = read_string(message + sizeof(unsigned), text, room);
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	return length > 0;
}

/* The thrown object of the exception that was caught last; 0: none.  __cxa_exception
 * ends with the unwinder's header, 32 bytes, whose first word says whose it is: behind
 * that is the object, or in front of a dependent one's fields the address of it. */
static uintptr_t thrown_object(uintptr_t exception)
{
	static const struct {
		uint64_t class;
		unsigned header, primary;
	} runtimes[] = {
		{ 0x474e5543432b2b00 /* GNUCC++ */, 80, 0 },
		{ 0x434c4e47432b2b00 /* CLNGC++ */, 96, 8 },
	};
	uintptr_t class, object;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (!read_word(exception + runtimes[i].header, &class) ||
		    (class & ~(uintptr_t)0xff) != runtimes[i].class)
			continue;
		if ((class & 0xff) == 0)
			return exception + runtimes[i].header + 32;
		if (read_word(exception + runtimes[i].primary, &object))
			return object;
	}
	return 0;
}

/* The C++ runtime has called this on the way here, so that it only returns where
 * the thread's exceptions are: a pointer to the last is first. */
static uintptr_t last_exception(void)
{
	void *(*globals)(void);
	uintptr_t function = address_of("__cxa_get_globals_fast"), exception;

	if (!function)
		function = address_of("__cxa_get_globals");
	if (!function || sizeof(uintptr_t) != 8)
		return 0;
	memcpy(&globals, &function, sizeof(globals));
	return read_word((uintptr_t)globals(), &exception) ? exception : 0;
}

/* std::type_info: its table, then its name, which may have an asterisk in front. */
static bool read_type(uintptr_t object, char *mangled, size_t room)
{
	enum { TYPE_BEFORE = 112 };
	static const char prefix[] = "_ZTI";
	uintptr_t type, name;
	char first;

	if (!read_word(object - TYPE_BEFORE, &type) ||
	    !read_word(type + sizeof(uintptr_t), &name) ||
	    !wcm__read_memory(name, &first, 1))
		return false;
	memcpy(mangled, prefix, sizeof(prefix));
	return read_string(name + (first == '*'), mangled + sizeof(prefix) - 1,
			   room - (sizeof(prefix) - 1)) > 0;
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

/* The third entry of its table is what(); its message is the member behind the table's
 * address. */
static bool has_message(uintptr_t object)
{
	struct wcm_symbol symbol;
	uintptr_t table, what;

	return read_word(object, &table) &&
	       read_word(table + 2 * sizeof(uintptr_t), &what) &&
	       wcm_symbol_peek(what, &symbol) == WCM_OK &&
	       (is(symbol.name, "_ZNKSt13runtime_error4whatEv") ||
		is(symbol.name, "_ZNKSt11logic_error4whatEv"));
}

static bool read_what(uintptr_t object, const char *mangled, char *text, size_t room)
{
	const bool is_text = is(mangled, "_ZTIPKc");
	uintptr_t message;

	if (!is_text && !has_message(object))
		return false;
	return read_word(object + (is_text ? 0 : sizeof(uintptr_t)), &message) &&
	       read_string(message, text, room) > 0;
}

static bool read_exception(struct wcm_reason *reason)
{
	static char mangled[MOST_TEXT], type[MOST_TEXT], what[MOST_TEXT];
	const uintptr_t exception = last_exception();
	const uintptr_t object = exception ? thrown_object(exception) : 0;

	if (!object || !read_type(object, mangled, sizeof(mangled)))
		return false;
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
	else if (way.throws && read_exception(reason))
		reason->text = "uncaught exception of type ";
	else if (way.terminates)
		reason->text = "std::terminate() was called";
	else if (read_message(text, sizeof(text)))
		reason->text = text;
	return true;
}
