/* SPDX-License-Identifier: MIT */
/* whocallme/probe.h - static probes: a NOP each, which debuggers and tracers find by name.
 *
 *	WCM_PROBE(shop, sold, item, price);	in a function, with 0 to 12 values
 *
 * This header stands alone: it needs neither <sys/sdt.h> nor the library, in C (gnu89 and later)
 * and C++ (98 and later), by gcc and clang.  A probe is one instruction that does nothing, and a
 * note in the section .note.stapsdt, which is not loaded: the probe's name, where it is, and in
 * which registers or words of memory its values are.  "whocallme trace --probes", gdb, perf,
 * bpftrace and SystemTap read it.  A value is an integer, a pointer, an enumeration, a float or a
 * double, of a word at most unless it is a constant, and not a bit-field; others are refused.  It
 * is evaluated whether anybody watches or not.
 *
 * One that takes work is guarded by a semaphore, a number that who watches the probe raises.  Who
 * asks without one has an undefined reference, at the latest when the program is linked:
 *
 *	WCM_PROBE_SEMAPHORE(shop, sold);	in one file of a module, outside of functions
 *
 *	if (WCM_PROBE_ENABLED(shop, sold))
 *		WCM_PROBE(shop, sold, describe(item), price);
 */
#ifndef WHOCALLME_PROBE_H
#define WHOCALLME_PROBE_H

/* Older C and C++ have no variadic macros, of which -pedantic would tell here. */
#if defined(__cplusplus)     ? __cplusplus < 201103L \
    : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

#define WCM_PROBE(provider, ...)                                               \
	WCM__PROBE_CALL(WCM__PROBE_COUNT(__VA_ARGS__, of_more_than_12_values,  \
					 of_more_than_12_values, of_more_than_12_values, \
					 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0), \
			provider, __VA_ARGS__, 0)

/* Whether somebody watches the probe. */
#define WCM_PROBE_ENABLED(provider, name)                                      \
	(__extension__({                                                       \
		extern volatile unsigned short provider##_##name##_semaphore   \
			__asm__(#provider "_" #name "_semaphore")              \
			__attribute__((visibility("hidden")));                 \
		__builtin_expect(provider##_##name##_semaphore != 0, 0) != 0;  \
	}))

#define WCM_PROBE_SEMAPHORE(provider, name)                                    \
	volatile unsigned short provider##_##name##_semaphore                  \
	__asm__(#provider "_" #name "_semaphore")                              \
	__attribute__((visibility("hidden"), used, weak, section(".probes"))) = 0

/* The rest makes the probe; do not use it. */

#define WCM__PROBE_COUNT(n, f, e, d, c, b, a, i9, i8, i7, i6, i5, i4, i3, i2, i1, count, ...) \
	count
#define WCM__PROBE_CALL(count, ...) WCM__PROBE_CALL_(count, __VA_ARGS__)
#define WCM__PROBE_CALL_(count, provider, name, ...)                           \
	WCM__PROBE_WITH(provider, name, WCM__PROBE_TEXTS_##count,              \
			WCM__PROBE_OPERANDS_##count(__VA_ARGS__))

#ifdef __LP64__
#define WCM__PROBE_ADDRESS " .8byte "
#else
#define WCM__PROBE_ADDRESS " .4byte "
#endif

/* Lines of assembly count as instructions in what gcc may inline, unless it is told. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#define WCM__PROBE_ASM __asm__ __volatile__ __inline__
#else
#define WCM__PROBE_ASM __asm__ __volatile__
#endif

/* A value of one byte is told by the name of 32 bits of its register: gdb does not know %r8b to
 * %r15b.  Without 64 bits not all have a name of a byte, which gcc is asked for else (PR 80115). */
#if defined(__i386__)
#define WCM__PROBE_BYTE "k"
#define WCM__PROBE_WORD "k"
#elif defined(__x86_64__)
#define WCM__PROBE_BYTE "k"
#define WCM__PROBE_WORD ""
#else
#define WCM__PROBE_BYTE ""
#define WCM__PROBE_WORD ""
#endif

/* The note is of version 3 of SystemTap's format: addresses of the probe, of .stapsdt.base, by
 * which a reader tells what has been moved in the file, and of the semaphore, 0 where none is
 * defined and nobody asks for it; then three texts.  "?" puts it into the group that its function
 * is in: who drops the one drops the other. */
#define WCM__PROBE_WITH(provider, name, texts, ...)                              \
	WCM__PROBE_ASM("990: nop\n"                                            \
		" .ifndef _.wcm." #provider "_" #name "\n"                     \
		" .weakref _.wcm." #provider "_" #name ", "                    \
			#provider "_" #name "_semaphore\n"                     \
		" .endif\n"                                                    \
		" .pushsection .note.stapsdt,\"?\",\"note\"\n"                 \
		" .balign 4\n"                                                 \
		" .4byte 992f-991f, 994f-993f, 3\n"                            \
		"991: .asciz \"stapsdt\"\n"                                    \
		"992: .balign 4\n"                                             \
		"993:" WCM__PROBE_ADDRESS "990b, _.stapsdt.base, "             \
			"_.wcm." #provider "_" #name "\n"                      \
		" .asciz \"" #provider "\"\n"                                  \
		" .asciz \"" #name "\"\n"                                      \
		texts                                                          \
		" .byte 0\n"                                                   \
		"994: .balign 4\n"                                             \
		" .popsection\n"                                               \
		" .ifndef _.stapsdt.base\n"                                    \
		" .pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
		" .weak _.stapsdt.base\n"                                      \
		" .hidden _.stapsdt.base\n"                                    \
		"_.stapsdt.base: .space 1\n"                                   \
		" .size _.stapsdt.base, 1\n"                                   \
		" .popsection\n"                                               \
		" .endif\n" ::__VA_ARGS__)

/* "SIZE@PLACE", or "SIZEf@PLACE" of a floating-point number; a size is negative where the value
 * has a sign. */
#define WCM__PROBE_TEXT(n, space)                                              \
	" .if %c[wcm_kind_" n "] > 99\n"                                       \
	" .byte %c[wcm_kind_" n "] - 52, 102\n"                                \
	" .else\n"                                                             \
	" .ascii \"%c[wcm_kind_" n "]\"\n"                                     \
	" .endif\n"                                                            \
	" .if %c[wcm_kind_" n "] == 1 || %c[wcm_kind_" n "] == -1\n"          \
	" .ascii \"@%" WCM__PROBE_BYTE "[wcm_value_" n "]" space "\"\n"     \
	" .else\n"                                                             \
	" .ascii \"@%" WCM__PROBE_WORD "[wcm_value_" n "]" space "\"\n"     \
	" .endif\n"
#define WCM__PROBE_OPERAND(n, x)                                               \
	[wcm_kind_##n] "n"(WCM__PROBE_KIND(x)), [wcm_value_##n] "nor"(x)

/* The kind of a value: its size, negative where it has a sign, and 100 more of a floating-point
 * number. */
#ifdef __cplusplus
extern "C++" {
/* A type without a remainder is no integer. */
template <typename T> struct wcm__probe_value_is_integer_pointer_float_or_double {
	enum { value = sizeof(T() % T(1)) > 0 };
};
template <bool IS_ONE> struct wcm__probe_value_is_of_a_word_at_most;
template <> struct wcm__probe_value_is_of_a_word_at_most<true> {
	enum { value = 1 };
};
template <typename T, bool IS_ENUM = __is_enum(T)> struct wcm__probe_kind {
	enum { value = (T(-1) < T(1) ? -1 : 1) * int(sizeof(T)) *
		       int(wcm__probe_value_is_integer_pointer_float_or_double<T>::value) };
};
template <typename T>
struct wcm__probe_kind<T, true> : wcm__probe_kind<__underlying_type(T)> {};
template <typename T> struct wcm__probe_kind<T *, false> {
	enum { value = sizeof(T *) };
};
template <typename T, typename C> struct wcm__probe_kind<T C::*, false> {
	enum { value = sizeof(T C::*) };
};
template <> struct wcm__probe_kind<float, false> {
	enum { value = 100 + sizeof(float) };
};
template <> struct wcm__probe_kind<double, false> {
	enum { value = 100 + sizeof(double) };
};
#if __cplusplus >= 201103L
template <> struct wcm__probe_kind<decltype(nullptr), false> {
	enum { value = sizeof(nullptr) };
};
#endif
/* It is defined nowhere, and asked for its result's size alone. */
template <bool IS_CONSTANT, typename T>
char (&wcm__probe_sized(T))[int(wcm__probe_kind<T>::value) *
	int(wcm__probe_value_is_of_a_word_at_most<IS_CONSTANT ||
		sizeof(T) <= sizeof(void *)>::value) + 128];
}
#if __cplusplus >= 201103L
#define WCM__PROBE_IS_CONSTANT(x) __builtin_constant_p(x)
#else
#define WCM__PROBE_IS_CONSTANT(x) false
#endif
#define WCM__PROBE_KIND(x) \
	(static_cast<int>(sizeof(wcm__probe_sized<WCM__PROBE_IS_CONSTANT(x)>(x))) - 128)
#else
/* 5 and 8 are what __builtin_classify_type() gives for pointers and for floating-point numbers. */
#define WCM__PROBE_IS(class, x) (__builtin_classify_type(x) == (class))
#define WCM__PROBE_PLAIN(x)                                                    \
	__typeof__(__builtin_choose_expr(WCM__PROBE_IS(5, x) || WCM__PROBE_IS(8, x), 0U, x))
#define WCM__PROBE_IS_OF(type, x) __builtin_types_compatible_p(__typeof__(x), type)
#define WCM__PROBE_REFUSE(name, unless) \
	(0 * (int)sizeof(struct { int wcm_probe_value_is_##name : (unless) ? 1 : -1; }))
#define WCM__PROBE_KIND(x)                                                     \
	(WCM__PROBE_REFUSE(integer_pointer_float_or_double,                 \
			   !WCM__PROBE_IS(8, x) || WCM__PROBE_IS_OF(float, x) || \
				   WCM__PROBE_IS_OF(double, x)) +              \
	 WCM__PROBE_REFUSE(of_a_word_at_most,                               \
			   WCM__PROBE_IS(5, x) || sizeof(x) <= sizeof(void *) || \
				   __builtin_constant_p(x)) +                  \
	 WCM__PROBE_SIGNED(x))
#define WCM__PROBE_SIGNED(x)                                                   \
	(WCM__PROBE_IS(5, x) ? (int)sizeof(void *) :                           \
	 WCM__PROBE_IS(8, x) ? 100 + (int)sizeof(x) :        \
	 (WCM__PROBE_PLAIN(x))-1 < (WCM__PROBE_PLAIN(x))1 ? -(int)sizeof(x) :  \
							    (int)sizeof(x))
#endif

#define WCM__PROBE_TEXTS_0
#define WCM__PROBE_OPERANDS_0(...)
#define WCM__PROBE_TEXTS_1 WCM__PROBE_TEXT("1", "")
#define WCM__PROBE_OPERANDS_1(x, ...) WCM__PROBE_OPERAND(1, x)
#define WCM__PROBE_TEXTS_2 WCM__PROBE_TEXT("2", " ") WCM__PROBE_TEXTS_1
#define WCM__PROBE_OPERANDS_2(x, ...) \
	WCM__PROBE_OPERAND(2, x), WCM__PROBE_OPERANDS_1(__VA_ARGS__)
#define WCM__PROBE_TEXTS_3 WCM__PROBE_TEXT("3", " ") WCM__PROBE_TEXTS_2
#define WCM__PROBE_OPERANDS_3(x, ...) \
	WCM__PROBE_OPERAND(3, x), WCM__PROBE_OPERANDS_2(__VA_ARGS__)
#define WCM__PROBE_TEXTS_4 WCM__PROBE_TEXT("4", " ") WCM__PROBE_TEXTS_3
#define WCM__PROBE_OPERANDS_4(x, ...) \
	WCM__PROBE_OPERAND(4, x), WCM__PROBE_OPERANDS_3(__VA_ARGS__)
#define WCM__PROBE_TEXTS_5 WCM__PROBE_TEXT("5", " ") WCM__PROBE_TEXTS_4
#define WCM__PROBE_OPERANDS_5(x, ...) \
	WCM__PROBE_OPERAND(5, x), WCM__PROBE_OPERANDS_4(__VA_ARGS__)
#define WCM__PROBE_TEXTS_6 WCM__PROBE_TEXT("6", " ") WCM__PROBE_TEXTS_5
#define WCM__PROBE_OPERANDS_6(x, ...) \
	WCM__PROBE_OPERAND(6, x), WCM__PROBE_OPERANDS_5(__VA_ARGS__)
#define WCM__PROBE_TEXTS_7 WCM__PROBE_TEXT("7", " ") WCM__PROBE_TEXTS_6
#define WCM__PROBE_OPERANDS_7(x, ...) \
	WCM__PROBE_OPERAND(7, x), WCM__PROBE_OPERANDS_6(__VA_ARGS__)
#define WCM__PROBE_TEXTS_8 WCM__PROBE_TEXT("8", " ") WCM__PROBE_TEXTS_7
#define WCM__PROBE_OPERANDS_8(x, ...) \
	WCM__PROBE_OPERAND(8, x), WCM__PROBE_OPERANDS_7(__VA_ARGS__)
#define WCM__PROBE_TEXTS_9 WCM__PROBE_TEXT("9", " ") WCM__PROBE_TEXTS_8
#define WCM__PROBE_OPERANDS_9(x, ...) \
	WCM__PROBE_OPERAND(9, x), WCM__PROBE_OPERANDS_8(__VA_ARGS__)
#define WCM__PROBE_TEXTS_10 WCM__PROBE_TEXT("10", " ") WCM__PROBE_TEXTS_9
#define WCM__PROBE_OPERANDS_10(x, ...) \
	WCM__PROBE_OPERAND(10, x), WCM__PROBE_OPERANDS_9(__VA_ARGS__)
#define WCM__PROBE_TEXTS_11 WCM__PROBE_TEXT("11", " ") WCM__PROBE_TEXTS_10
#define WCM__PROBE_OPERANDS_11(x, ...) \
	WCM__PROBE_OPERAND(11, x), WCM__PROBE_OPERANDS_10(__VA_ARGS__)
#define WCM__PROBE_TEXTS_12 WCM__PROBE_TEXT("12", " ") WCM__PROBE_TEXTS_11
#define WCM__PROBE_OPERANDS_12(x, ...) \
	WCM__PROBE_OPERAND(12, x), WCM__PROBE_OPERANDS_11(__VA_ARGS__)

#endif
