/* SPDX-License-Identifier: MIT */
/* arguments_debug.c - calls functions of each class of arguments with values that follow from
 * numbers: arguments_debug SEED ROUNDS.  Also a program of C++.  arguments_debug.py knows the
 * same. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define OUTLINE __attribute__((noinline, noclone))
#ifdef __cplusplus
#define START extern "C"
#else
#define START
#endif

enum color { RED, GREEN = 5, BLUE };
enum access { READ = 1, WRITE = 2, EXECUTE = 4 };
enum sign { MINUS = -1, ZERO, PLUS };
struct two { int64_t a; double b; };
struct floats { float x, y; };
struct bytes { unsigned char byte[8]; int32_t i[2]; };
struct large { int64_t word[5]; };
struct extended { long double x; };
union either { int64_t i; double d; };
typedef int callback(int);
typedef __int128 giant_t;
typedef unsigned __int128 ugiant_t;

static volatile uint64_t sink;
#define USE(x) (sink += (uint64_t)(x))

START OUTLINE int8_t tiny(int8_t a, uint8_t b, int16_t c, uint16_t d) { USE(b + c + d); return a; }
START OUTLINE uint16_t shorter(uint16_t a) { USE(a); return a; }
START OUTLINE int numbers(int a, unsigned b, int64_t c, uint64_t d) { USE(b + c + d); return a; }
START OUTLINE uint64_t longest(uint64_t a) { USE(a); return a; }
START OUTLINE bool truth(bool a, bool b) { USE(b); return !a; }
START OUTLINE char letter(char a) { USE(a); return a; }
START OUTLINE enum color paint(enum color a, enum access b, enum sign c)
{
	USE(b + c);
	return a;
}
START OUTLINE enum access allow(enum access a) { USE(a); return a; }
START OUTLINE float narrow(float a, double b, long double c) { USE(b + c); return a; }
START OUTLINE double wide(double a) { USE(a); return a; }
START OUTLINE long double widest(long double a) { USE(a); return a; }
START OUTLINE struct extended boxed(struct extended a, int b) { USE(b); return a; }
START OUTLINE const char *text(const char *a, char *b) { USE(*b); return a; }
START OUTLINE void *pointer(void *a, int **b) { USE((uintptr_t)b); return a; }
START OUTLINE callback *handler(callback *a) { USE((uintptr_t)a); return a; }
START OUTLINE struct two pair(struct two a, struct floats b) { USE(b.x); return a; }
START OUTLINE struct floats both(struct floats a) { USE(a.x); return a; }
START OUTLINE struct bytes packet(struct bytes a, union either b) { USE(b.i); return a; }
START OUTLINE struct large memory(struct large a, int b) { USE(b); return a; }
START OUTLINE giant_t giant(int a, giant_t b, ugiant_t c) { USE(a + (int)c); return b; }
START OUTLINE int64_t many(int a, double b, int64_t c, float d, int e, int f, int g, int h, char i,
			   struct two j, giant_t k, long double l, enum color m, bool n)
{
	USE(a + b + d + e + f + g + h + i + j.a + (int)k + l + m + n);
	return c;
}
START OUTLINE void nothing(void) { USE(1); }
START OUTLINE int variadic(int a, ...) { USE(a); return a; }
START OUTLINE int twice(int a) { USE(a); return 2 * a; }

#ifdef __cplusplus
namespace scope {
enum class Kind : unsigned char { One = 1, Two };
struct Base {
	int value;
	OUTLINE explicit Base(int v) : value(v) { USE(v); }
	OUTLINE int add(int a) const { USE(a); return a + value; }
	OUTLINE virtual int turn(int a) { USE(a); return -a; }
	OUTLINE virtual ~Base() { USE(value); }
};
struct Copied {
	int64_t value;
	OUTLINE explicit Copied(int64_t v) : value(v) {}
	Copied(const Copied &other) : value(other.value) {}
};
struct Empty {};
OUTLINE Kind kind(Kind a) { USE((int)a); return a; }
OUTLINE int over(int a) { USE(a); return a; }
OUTLINE double over(double a) { USE(a); return a; }
OUTLINE int64_t copied(Copied a, Empty b, int c) { (void)b; USE(c); return a.value; }
template <class T> OUTLINE T same(T a) { USE(a); return a; }
}
#endif

static const char *const words[] = { "", "a", "some words", "exactly thirty-two bytes of text",
				     "one that is longer than thirty-two bytes" };

static void call_all(uint64_t i)
{
	const uint64_t v = i * UINT64_C(0x9e3779b97f4a7c15);
	const double d = (double)(int32_t)(v >> 32) / 4;
	struct two two = { (int64_t)v, d };
	struct floats floats = { (float)(int16_t)v, (float)(int8_t)v / 2 };
	struct bytes bytes = { { (unsigned char)v, 2, 3 }, { (int32_t)v, 7 } };
	struct large large = { { (int64_t)v } };
	struct extended extended = { (long double)d };
	union either either = { (int64_t)v };
	char copy[] = "copy";

	tiny((int8_t)v, (uint8_t)(v >> 8), (int16_t)(v >> 16), (uint16_t)(v >> 32));
	shorter((uint16_t)v);
	numbers((int)v, (unsigned)(v >> 32), (int64_t)v, ~v);
	longest(v);
	truth(v & 1, v & 2);
	letter((char)('a' + v % 26));
	paint(v % 3 == 0 ? RED : v % 3 == 1 ? GREEN : BLUE, (enum access)(v % 8),
	      (enum sign)((int)(v % 3) - 1));
	allow((enum access)(1 + v % 7));
	narrow((float)(int16_t)v / 8, d, (long double)d * 2);
	wide(d);
	widest((long double)d);
	boxed(extended, (int)v);
	text(words[v % 5], copy);
	pointer(v & 1 ? (void *)(uintptr_t)v : NULL, NULL);
	handler(twice);
	pair(two, floats);
	both(floats);
	packet(bytes, either);
	memory(large, (int)v);
	giant((int)v, (giant_t)(int64_t)v, (ugiant_t)v << 64 | 1);
	many((int)v, d, (int64_t)v, floats.y, 5, 6, 7, (int)(v >> 8), 'x', two, -(giant_t)(v >> 1),
	     (long double)d, BLUE, v & 1);
	nothing();
	variadic((int)v, 2.0);
#ifdef __cplusplus
	scope::Base base((int)(int8_t)v);
	base.add((int)v);
	base.turn((int)(int16_t)v);
	scope::kind(v & 1 ? scope::Kind::One : scope::Kind::Two);
	scope::over((int)v);
	scope::over(d);
	scope::copied(scope::Copied((int64_t)v), scope::Empty(), (int)v);
	scope::same((short)v);
	scope::same(v);
#endif
}

int main(int argc, char *argv[])
{
	const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (uint64_t i = 0; i < rounds; i++)
		call_all(seed + i);
	return 0;
}
