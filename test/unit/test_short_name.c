/* SPDX-License-Identifier: MIT */
/* test_short_name.c - names without types. */
#include "core/report/short_name.h"

#include <stdlib.h>

#include "support/check.h"
#include "whocallme/symbol.h"

/* Names as libiberty's demangler writes them. */
static const struct {
	const char *name, *own, *brief;
} known[] = {
	{ "main", "main", "main" },
	{ "", "", "" },
	{ "f()", "f", "f" },
	{ "A::g(int) const", "A::g", "A::g" },
	{ "void (*tget<int>(int))(int)", "tget<int>", "tget" },
	{ "void (*(*ppget<int>(int))(long))(int)", "ppget<int>", "ppget" },
	{ "void (* const*cfp<int>(int))(int)", "cfp<int>", "cfp" },
	{ "int (&aget<int>(int)) [3]", "aget<int>", "aget" },
	{ "int (A::*mget<int>(int))(int)", "mget<int>", "mget" },
	{ "int (B<(x)0>::*B<1>::get<int>(int))(int)", "B<1>::get<int>", "B::get" },
	{ "int A::* dget<int>(int)", "dget<int>", "dget" },
	{ "void (*(anonymous namespace)::anon::q<int>(int))(int)",
	  "(anonymous namespace)::anon::q<int>", "(anonymous namespace)::anon::q" },
	{ "void (*&&std::forward<void (*)(int)>(std::remove_reference<void (*)(int)>"
	  "::type&&))(int)", "std::forward<void (*)(int)>", "std::forward" },
	{ "sss[abi:cxx11]()", "sss[abi:cxx11]", "sss" },
	{ "decltype (*({parm#1})) da<int>(int)", "da<int>", "da" },
	{ "decltype(auto) da<int>(int)", "da<int>", "da" },
	{ "auto f<int>(int) requires (sizeof (int))>(1)", "f<int>", "f" },
	{ "f(int) [clone .cold]", "f", "f" },
	{ "A::operator()(int) const", "A::operator()", "A::operator()" },
	{ "bool operator< <int>(B<int>)", "operator< <int>", "operator<" },
	{ "bool operator<< <int>(B<int>)", "operator<< <int>", "operator<<" },
	{ "B<&A::operator->>::f()", "B<&A::operator->>::f", "B::f" },
	{ "A::operator[](int)", "A::operator[]", "A::operator[]" },
	{ "operator new[](unsigned long)", "operator new[]", "operator new[]" },
	{ "operator\"\" _km(long double)", "operator\"\" _km", "operator\"\" _km" },
	{ "C<int>::operator std::vector<int>*() const",
	  "C<int>::operator std::vector<int>*", "C::operator std::vector*" },
	{ "C<int>::operator void (*)(int)<void (*)(int)>() const",
	  "C<int>::operator void (*)(int)<void (*)(int)>",
	  "C::operator void (*)(int)" },
	{ "A::operator void (A::*)()() const", "A::operator void (A::*)()",
	  "A::operator void (A::*)()" },
	{ "A<int>::operator B<int>() const::C::f(int)",
	  "A<int>::operator B<int>() const::C::f", "A::operator B::C::f" },
	{ "lam<int>(int)::{lambda(int)#1}::operator()(int) const",
	  "lam<int>(int)::{lambda(int)#1}::operator()",
	  "lam::{lambda(int)#1}::operator()" },
	{ "A::f() const &::B::g()", "A::f() const &::B::g", "A::f::B::g" },
	{ "non-virtual thunk to A::g(int)", "A::g", "A::g" },
	{ "global constructors keyed to A::b", "global constructors keyed to A::b",
	  "global constructors keyed to A::b" },
	{ "global constructors keyed to h(int)", "global constructors keyed to h",
	  "global constructors keyed to h" },
	{ "TLS wrapper function for A<int>::b", "TLS wrapper function for A<int>::b",
	  "TLS wrapper function for A::b" },
	/* Rust and D */
	{ "core::ptr::drop_in_place::<a::B<u8>>", "core::ptr::drop_in_place::<a::B<u8>>",
	  "core::ptr::drop_in_place" },
	{ "<fn(u8) -> u8 as core::ops::FnOnce<(u8,)>>::call_once",
	  "<fn(u8) -> u8 as core::ops::FnOnce<(u8,)>>::call_once",
	  "<fn(u8) -> u8 as core::ops::FnOnce<(u8,)>>::call_once" },
	{ "a::main::{{closure}}", "a::main::{{closure}}", "a::main::{{closure}}" },
	{ "std.stdio.File.writeln!(int, char).writeln(int, char)",
	  "std.stdio.File.writeln!(int, char).writeln", "std.stdio.File.writeln.writeln" },
};

TEST(a_function_has_a_name_of_its_own)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t size = strlen(known[i].name);
		const char *own = wcm__name_own(known[i].name, &size);

		CHECK_EQ(size, strlen(known[i].own));
		CHECK(memcmp(own, known[i].own, size) == 0);
	}
}

TEST(short_names_are_without_types)
{
	char name[256];

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		strcpy(name, known[i].name);
		CHECK_EQ(wcm_name_shorten(name), strlen(known[i].brief));
		CHECK_STR(name, known[i].brief);
	}
}

/* Every beginning of a name, and brackets that never close, are read no further than
 * they go. */
TEST(what_is_no_name_is_read_within_its_bounds)
{
	static const char *const openers[] = { "<", "(", "(*", "operator ", "{[(<" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		for (size_t size = 0; size <= strlen(known[i].name); size++) {
			char *name = strndup(known[i].name, size);

			CHECK(wcm_name_shorten(name) <= size);
			free(name);
		}
	}
	for (size_t i = 0; i < sizeof(openers) / sizeof(*openers); i++) {
		char *name = calloc(1, 10001);

		while (strlen(name) < 9990)
			strcat(name, openers[i]);
		CHECK(wcm_name_shorten(name) <= 10000);
		free(name);
	}
}

RUN(a_function_has_a_name_of_its_own, short_names_are_without_types,
    what_is_no_name_is_read_within_its_bounds)
