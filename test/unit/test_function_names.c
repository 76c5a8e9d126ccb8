/* SPDX-License-Identifier: MIT */
/* test_function_names.c - the functions of a recording: which is at an offset, and how its
 * name is shown. */
#include "symbols/function_set.h"
#include "symbols/sym_file.h"

#include "support/check.h"
#include "support/scratch_dir.h"

static const char mangled[] = "_ZN1AIiE1gEi"; /* A<int>::g(int) */

static void check_name(enum name_style style, const char *name, const char *shown,
		       bool typed)
{
	struct function_set functions;
	const struct function *function;

	function_set_init(&functions, style);
	function = function_set_get(&functions, name, NULL, 0, false);
	CHECK_STR(function->name, shown);
	CHECK_EQ(function->typed, typed);
	function_set_free(&functions);
}

TEST(names_are_short_full_or_as_the_linker_has_them)
{
	check_name(NAME_SHORT, mangled, "A::g", false);
	check_name(NAME_FULL, mangled, "A<int>::g(int)", true);
	check_name(NAME_MANGLED, mangled, mangled, false);
	check_name(NAME_SHORT, "main", "main", false);
	check_name(NAME_FULL, "main", "main", false);
	check_name(NAME_SHORT, "a\nb\\", "a\\x0ab\\x5c", false);
	check_name(NAME_SHORT, "_ZTV", "_ZTV", false);
}

TEST(a_function_is_there_once)
{
	const struct module one = { .path = (char *)"/one" }, other = { .path = (char *)"/two" };
	struct function_set functions;
	const struct function *first, *found[400];
	char name[32];

	function_set_init(&functions, NAME_SHORT);
	first = function_set_get(&functions, mangled, &one, 0x10, true);
	CHECK(first->stub);
	CHECK_EQ(first->offset, 0x10);
	CHECK(first->module == &one);
	CHECK_EQ(first->index, 1);
	/* Two that are shown alike are one. */
	CHECK(function_set_get(&functions, "_ZN1AIlE1gEl", &one, 0x20, false) == first);
	CHECK(function_set_get(&functions, mangled, &other, 0x10, false) != first);
	for (int i = 0; i < 400; i++) {
		sprintf(name, "f%d", i);
		found[i] = function_set_get(&functions, name, &one, 0, false);
		CHECK_EQ(found[i]->index, 3 + 2 * i);
		CHECK(function_set_get(&functions, name, &other, 0, false) != found[i]);
	}
	CHECK(function_set_get(&functions, mangled, &one, 0, false) == first);
	for (int i = 0; i < 400; i++) {
		sprintf(name, "f%d", i);
		CHECK(function_set_get(&functions, name, &one, 0, false) == found[i]);
		CHECK(functions.all[found[i]->index] == found[i]);
	}
	CHECK_EQ(functions.count, 803);
	CHECK(!functions.lost);
	function_set_free(&functions);
}

TEST(functions_of_one_name_are_told_apart_by_their_modules)
{
	struct module modules[200] = { 0 };
	struct function_set functions;

	function_set_init(&functions, NAME_SHORT);
	for (size_t i = 0; i < 200; i++)
		CHECK_EQ(function_set_get(&functions, "f", &modules[i], 0, false)->index,
			 i + 1);
	function_set_free(&functions);
}

TEST(a_function_of_no_module_has_its_address)
{
	struct function_set functions;
	const struct function *function;

	function_set_init(&functions, NAME_SHORT);
	function = function_set_unknown(&functions, 0xabc);
	CHECK_STR(function->name, "<abc>");
	CHECK_EQ(function->offset, 0xabc);
	CHECK(function_set_unknown(&functions, 0xabc) == function);
	CHECK_STR(function_set_unknown(&functions, 0)->name, "<unknown>");
	CHECK_EQ(function_set_unknown(&functions, 0)->index, 0);
	function_set_free(&functions);
}

/* The name at OFFSET; "-": none. */
static const char *at(const struct sym_file *file, uint64_t offset)
{
	const struct symbol *symbol = sym_file_find(file, offset);

	return symbol ? symbol->name : "-";
}

TEST(the_symbol_that_holds_an_offset)
{
	static const char text[] = "# symbols: 5\n"
		"# path name: /old\n"
		"# path name: /bin/p\n"
		"# build-id: 00ff\n"
		"2000 10 T g\n"
		"1000 T f with blanks\n"
		"1100 20 t h\n"
		"1200 ? __sym_end\n"
		"1200 T at_the_end\n"
		"\n" "x T no\n" "3000 T\n" "3000 TT no\n" "4000 ? __sym_end\n";
	struct sym_file file;

	CHECK(!sym_file_load(&file, scratch, "p.sym"));
	scratch_put("p.sym", text, strlen(text));
	CHECK(sym_file_load(&file, scratch, "p.sym"));
	sym_file_parse(&file);
	CHECK_STR(at(&file, 0xfff), "-");
	CHECK_STR(at(&file, 0x1000), "f with blanks");
	CHECK_STR(at(&file, 0x10ff), "f with blanks");
	CHECK_STR(at(&file, 0x1100), "h");
	CHECK_STR(at(&file, 0x111f), "h");
	CHECK_STR(at(&file, 0x1120), "-");
	CHECK_STR(at(&file, 0x1200), "at_the_end");
	CHECK_STR(at(&file, 0x200f), "g");
	CHECK_STR(at(&file, 0x2010), "-");
	CHECK_STR(at(&file, 0x5000), "-");
	CHECK_EQ(sym_file_size(&file), 0x4000);
	CHECK_EQ(file.count, 6);

	CHECK_EQ(sym_file_fit(&file, "/bin/p", ""), 2);
	CHECK_EQ(sym_file_fit(&file, "/bin/p", "00ff"), 4);
	CHECK_EQ(sym_file_fit(&file, "/bin/p", "00fe"), 0);
	CHECK_EQ(sym_file_fit(&file, "/old", "00ff"), 0);
	sym_file_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(names_are_short_full_or_as_the_linker_has_them),
		SCRATCH_TEST(a_function_is_there_once),
		SCRATCH_TEST(functions_of_one_name_are_told_apart_by_their_modules),
		SCRATCH_TEST(a_function_of_no_module_has_its_address),
		SCRATCH_TEST(the_symbol_that_holds_an_offset),
	};

	return cmocka_run_group_tests_name("function_names", tests, NULL, NULL);
}
