/* SPDX-License-Identifier: MIT */
/* signature.c - reduces a crash to what makes it the same as another.
 *
 * The functions on top of the stack, in builds that are told apart by build-id.
 * Nothing of it depends on the machine, the process or where modules were loaded, nor
 * on how deep a recursion was.
 */
#include "reports/signature.h"

#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/hash.h"
#include "reports/report_modules.h"

/* What a signal that a program sends itself goes through; whocallme(1) has this
 * list. */
static const char *const raisers[] = {
	/* the C library */
	"__kernel_vsyscall", "raise", "gsignal", "abort", "kill", "__kill", "tgkill",
	"__tgkill", "pthread_kill", "pthread_sigqueue", "__pthread_kill",
	"__pthread_kill_implementation", "__pthread_kill_internal",
	"__assert_fail", "__assert_fail_base", "__assert_perror_fail", "__assert",
	"__libc_fatal", "__libc_message", "__libc_message_impl",
	"__libc_message_wrapper", "malloc_printerr",
	"__stack_chk_fail", "__fortify_fail", "__chk_fail",
	/* C++ */
	"__gnu_cxx::__verbose_terminate_handler", "std::terminate",
	"std::abort", "__cxxabiv1::__terminate", "__cxa_throw",
	"__cxa_rethrow", "__cxa_pure_virtual",
	/* Rust */
	"std::sys::unix::abort_internal", "std::sys::pal::unix::abort_internal",
	"std::process::abort",
};

/* The C library's debug data has its own calls of a function under another name. */
static bool is_raiser(const char *function)
{
	static const char internal[] = "__GI_";

	if (strncmp(function, internal, strlen(internal)) == 0)
		function += strlen(internal);
	for (size_t i = 0; i < sizeof(raisers) / sizeof(*raisers); i++)
		if (strcmp(raisers[i], function) == 0)
			return true;
	return false;
}

/* What calls main() or a thread's function; whocallme(1) has this list, too.  Which
 * of them have a name depends on what debug data of the C library is there. */
static const char *const starters[] = {
	"__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
	"_start", "start_thread", "clone", "__clone", "clone3", "__clone3",
};

static bool is_starter(const char *function)
{
	for (size_t i = 0; i < sizeof(starters) / sizeof(*starters); i++)
		if (strcmp(starters[i], function) == 0)
			return true;
	return false;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Cut what compilers append to the name of a function that they have changed: a
 * table of debug data has the same function without it. */
static void cut_suffixes(char *name)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.", ".part.",
						".cold",  ".lto_priv.",	 ".llvm.",
						".__part.", ".localalias", " [clone " };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *found = strstr(name, suffixes[i]);

		if (found && found > name)
			*found = '\0';
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Set KEY of TO to TEXT, unless that is NULL. */
static void put_text(json_t *to, const char *key, const char *text)
{
	if (text)
		json_object_set_new(to, key, json_string(text));
}

/* NAME as reports show it by default, whatever the one at hand does: mangled, short or
 * with its types. */
static void put_function(json_t *to, const char *name)
{
	char *mangled = name ? strdup(name) : NULL, *plain;

	if (!mangled)
		return;
	cut_suffixes(mangled);
	plain = wcm_name_demangle(mangled);
	wcm_name_shorten(plain ? plain : mangled);
	put_text(to, "function", plain ? plain : mangled);
	free(plain);
	free(mangled);
}

/* Of the module at PATH where FRAME is; NULL: unknown. */
static const char *build_id(const struct loaded_modules *modules, const json_t *frame,
			    const char *path)
{
	const struct loaded *module = NULL;
	uint64_t pc;

	if (report_hex(frame, "pc", &pc))
		module = loaded_at(modules, path, pc);
	if (!module)
		module = loaded_as(modules, path);
	return module ? module->build_id : NULL;
}

/* A frame of a signature, of what a report's FRAME says and LINE, NULL: nothing, of its
 * inline chain; the LAST of the chain is the function of the symbol table. */
static json_t *make_frame(const struct loaded_modules *modules, const json_t *frame,
			  const json_t *line, bool last)
{
	const char *module = text_of(frame, "module");
	const char *function = text_of(line, "function");
	json_t *made = json_object();

	if (!made)
		return NULL;
	if (!function && last)
		function = text_of(frame, "function");
	put_function(made, function);
	put_text(made, "module", module);
	if (module)
		put_text(made, "build_id", build_id(modules, frame, module));
	if (!function)
		put_text(made, "module_offset", text_of(frame, "module_offset"));
	put_text(made, "file", text_of(line, "file"));
	if (json_is_integer(json_object_get(line, "line")))
		json_object_set(made, "line", json_object_get(line, "line"));
	if (json_is_true(json_object_get(line, "inlined")))
		json_object_set_new(made, "inlined", json_true());
	return made;
}

/* Add what is logically there at FRAME to FRAMES, until they are MOST. */
static void expand(json_t *frames, size_t most, const struct loaded_modules *modules,
		   const json_t *frame)
{
	const json_t *lines = json_object_get(frame, "lines"), *line;
	const size_t count = json_array_size(lines);
	size_t i;

	if (!json_is_object(frame) || json_is_true(json_object_get(frame, "signal")))
		return;
	if (count == 0)
		json_array_append_new(frames, make_frame(modules, frame, NULL, true));
	json_array_foreach(lines, i, line) {
		if (json_array_size(frames) >= most)
			break;
		json_array_append_new(frames, make_frame(modules, frame, line,
							 i == count - 1));
	}
}

static bool is_same_module(const json_t *a, const json_t *b)
{
	const char *module = text_of(a, "module"), *other = text_of(b, "module");

	return module && other && strcmp(module, other) == 0;
}

/* How many of FRAMES only raise the signal.  A stripped module has no name for its
 * static functions: one of them is taken to be the raiser's that it was called by. */
static size_t count_raisers(const json_t *frames)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(frames); i++) {
		const json_t *frame = json_array_get(frames, i);
		const char *function = text_of(frame, "function");

		if (function && !is_raiser(function))
			break;
		if (function)
			count = i + 1;
		else if (!is_same_module(frame, json_array_get(frames, i + 1)))
			break;
	}
	return count < json_array_size(frames) ? count : 0;
}

/* Whether FRAME is of a C library, by the name of its file. */
static bool is_of_libc(const json_t *frame)
{
	static const char *const files[] = { "libc.so", "libc-2.", "libpthread", "ld-musl" };
	const char *module = text_of(frame, "module");

	for (size_t i = 0; module && i < sizeof(files) / sizeof(*files); i++)
		if (strncmp(base_name(module), files[i], strlen(files[i])) == 0)
			return true;
	return false;
}

/* How many of FRAMES are left without those that started the program or the thread:
 * the first such function and all below it.  Those without a name before it, or at
 * the end of the stack, are of them where they are of its module or of the C
 * library. */
static size_t count_started(const json_t *frames)
{
	const size_t count = json_array_size(frames);
	const json_t *starter = NULL;
	size_t left = 0;

	for (; left < count && !starter; left += !starter) {
		const json_t *frame = json_array_get(frames, left);
		const char *function = text_of(frame, "function");

		if (function && is_starter(function))
			starter = frame;
	}
	while (left > 0) {
		const json_t *frame = json_array_get(frames, left - 1);

		if (text_of(frame, "function") ||
		    !(starter ? is_same_module(frame, starter) : is_of_libc(frame)))
			break;
		left--;
	}
	return left > 0 ? left : count;
}

/* Whether two frames are of one function; SAME says how they are compared. */
typedef bool same_function(const json_t *a, const json_t *b);

static bool is_same_text(const json_t *a, const json_t *b, const char *key)
{
	const char *text = text_of(a, key), *other = text_of(b, key);

	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool is_same_function(const json_t *a, const json_t *b)
{
	return is_same_text(a, b, "function") && is_same_text(a, b, "module") &&
	       is_same_text(a, b, "module_offset");
}

/* As a report has them: without a name, the same address. */
static bool is_same_raw(const json_t *a, const json_t *b)
{
	return is_same_text(a, b, "module") &&
	       (text_of(a, "function") ? is_same_text(a, b, "function")
				       : is_same_text(a, b, "pc"));
}

/* Whether the last PERIOD of FRAMES are those before them once more. */
static bool is_repeated(const json_t *frames, size_t period, same_function *same)
{
	const size_t count = json_array_size(frames);

	if (count < 2 * period)
		return false;
	for (size_t i = count - period; i < count; i++)
		if (!same(json_array_get(frames, i), json_array_get(frames, i - period)))
			return false;
	return true;
}

/* FRAMES with each function, or round of functions, that calls itself there once. */
static json_t *without_recursion(json_t *frames, same_function *same)
{
	enum { LONGEST_ROUND = 8 };
	json_t *kept = json_array(), *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		json_array_append(kept, frame);
		for (size_t period = 1; period <= LONGEST_ROUND; period++) {
			if (!is_repeated(kept, period, same))
				continue;
			for (size_t left = period; left > 0; left--)
				json_array_remove(kept, json_array_size(kept) - 1);
			break;
		}
	}
	json_decref(frames);
	return kept;
}

static void shorten(json_t *frames, size_t most)
{
	while (json_array_size(frames) > most)
		json_array_remove(frames, json_array_size(frames) - 1);
}

enum { MOST_RAISERS = 32 };

/* How many numbers before NUMBER the frame is that one of FOLDS says it equals; 0: none does. */
static json_int_t period_at(const json_t *folds, json_int_t number)
{
	enum { MOST_FOLDS = 64 }; /* the library writes no more */
	const json_t *fold;
	size_t i;

	json_array_foreach(folds, i, fold) {
		const json_int_t first = json_integer_value(json_object_get(fold, "first"));
		const json_int_t count = json_integer_value(json_object_get(fold, "count"));
		const json_int_t period = json_integer_value(json_object_get(fold, "period"));

		if (i == MOST_FOLDS)
			break;
		if (period > 0 && period <= first && number >= first && count > number - first)
			return period;
	}
	return 0;
}

/* The frames of STACK with those that its folds tell of, as long as none is missing before. */
static json_t *unfolded(const json_t *stack, size_t most)
{
	const json_t *folds = json_object_get(stack, "folds");
	json_t *frames = json_object_get(stack, "frames"), *made = json_array(), *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		const json_int_t number =
			json_integer_value(json_object_get(frame, "number"));

		while (json_array_size(made) < most &&
		       (json_int_t)json_array_size(made) < number) {
			const size_t count = json_array_size(made);
			const json_int_t period = period_at(folds, (json_int_t)count);

			if (period == 0 || (size_t)period > count)
				break;
			json_array_append(made, json_array_get(made, count - (size_t)period));
		}
		json_array_append(made, frame);
	}
	return made;
}

void signature_cut(json_t *report, size_t most, bool all)
{
	json_t *stack = json_object_get(report, "stack");
	json_t *frames = json_object_get(stack, "frames");

	if (json_is_array(frames))
		json_object_set_new(stack, "frames",
				    all ? unfolded(stack, most + MOST_RAISERS)
					: without_recursion(json_incref(frames), is_same_raw));
	shorten(json_object_get(stack, "frames"), most + MOST_RAISERS);
}

json_t *signature_frames(const json_t *report, size_t most, bool all)
{
	const json_t *stack = json_object_get(report, "stack"), *frame;
	struct loaded_modules modules = loaded_read(report);
	json_t *frames = json_array();
	size_t i;

	json_array_foreach(json_object_get(stack, "frames"), i, frame) {
		if (json_array_size(frames) >= most + MOST_RAISERS)
			break;
		expand(frames, most + MOST_RAISERS, &modules, frame);
	}
	loaded_free(&modules);
	if (!all)
		frames = without_recursion(frames, is_same_function);
	if (!all)
		shorten(frames, count_started(frames));
	if (!all)
		for (i = count_raisers(frames); i > 0; i--)
			json_array_remove(frames, 0);
	shorten(frames, most);
	return frames;
}

/* TEXT and its zero byte. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	return hash_more(hash, text, strlen(text) + 1);
}

static uint64_t add_frame(uint64_t hash, const json_t *frame, enum signature_by by)
{
	const char *module = text_of(frame, "module");
	const char *build = text_of(frame, "build_id");
	const char *function = text_of(frame, "function");
	const char *file = text_of(frame, "file");

	if (by == BY_FILE && file)
		return add_text(hash, file);
	if (by != BY_PROGRAM && function)
		return add_text(hash, function);
	if (!function)
		function = text_of(frame, "module_offset");
	hash = add_text(hash, build ? build : module ? base_name(module) : "");
	return add_text(hash, function ? function : "??");
}

uint64_t signature_hash(const json_t *frames, const json_t *report,
			enum signature_by by)
{
	const char *name = text_of(report, "name");
	const char *signal = text_of(json_object_get(report, "signal"), "name");
	uint64_t hash = HASH_OF_NOTHING;
	const json_t *frame;
	size_t i;

	if (json_array_size(frames) == 0) {
		hash = add_text(hash, name ? name : "");
		return add_text(hash, signal ? signal : "");
	}
	json_array_foreach(frames, i, frame)
		hash = add_frame(hash, frame, by);
	return hash;
}
