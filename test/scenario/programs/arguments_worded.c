/* SPDX-License-Identifier: MIT */
/* arguments_worded.c - values of each kind, of which none differs from run to run. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define APART __attribute__((noinline))

enum plain { A, B, C = 70 };
enum bits { F1 = 1, F2 = 2, F4 = 4, F6 = 6 };
struct two {
	long a;
	double b;
};
struct one {
	int x;
};
struct big {
	long v[5];
};

APART bool small(bool b, char c, unsigned char u, signed char s) { return !b && c && u && s; }
APART float real(float a, double b, long double c) { return a + (float)b * (float)c; }
APART long double extended(long double x) { return x; }
APART __int128 wide(__int128 a, unsigned __int128 b) { return a + (b == 0); }
APART int old() { return 7; }
APART int variable(const char *f, ...) { return f != NULL; }
APART enum plain named(enum plain a, enum bits b) { return b ? a : A; }
APART struct two pair(struct two a, struct one b, struct big c) { a.a += b.x + c.v[0]; return a; }
APART struct big large(int a) { return (struct big){ { a } }; }
APART void *pointers(int (*f)(), void (*g)(void), void *p) { return f && g ? p : NULL; }
APART const char *text(const char *a, const char *b) { return a ? b : a; }
APART long long negative(long long a, const char *s) { return a - (s != NULL); }
APART unsigned short mixed(short a, unsigned short b, unsigned c, unsigned long d, int e)
{
	return (unsigned short)(a + b + c + d + e);
}
APART void many(int a, int b, int c, int d, int e, int f, long g, short h, char i, int j, int k,
		double l, float m, int n, int o, int p)
{
}
APART void nothing(void) {}

static void libraries(void)
{
	chmod("/nonexistent", 0755);
	fopen("/nonexistent", "r");
	getenv("NOT_THERE");
	printf("%s%d\n", "a", 3);
	strtol("-12x", NULL, 10);
	strlen("a string that is longer than what is shown of it");
	pow(2.5, 3);
	powl(1.5L, -2);
}

int main(void)
{
	const struct two two = { 1, 2.5 };
	const struct one one = { -1 };
	const struct big big = { { 1 } };

	small(1, 'x', 200, -3), small(0, '\n', 7, '\''), small(0, (char)0xff, '\\', 0);
	real(0.1f, 1e30, 1.25L), real(NAN, -INFINITY, -0.0L), real(3, 1e17, 1e-30L);
	extended(1e4000L), extended(-3), extended(1 / 3.0L);
	wide(5, 7), wide(-5, (unsigned __int128)1 << 100), wide((__int128)3 << 70, -1);
	old(1, 2), variable("a%d", 3), variable(NULL);
	for (int i = -1; i < 9; i++)
		named((enum plain)i, (enum bits)i);
	named(C, (enum bits)200000);
	pair(two, one, big), large(3);
	pointers(old, NULL, NULL), pointers((int (*)())0x1234, nothing, main);
	text("abc", NULL), text("", "tab\tq\"b\\"), text("grüße", "\1\2 x");
	text("12345678901234567890123456789012", "123456789012345678901234567890123");
	text((const char *)8, (const char *)-1L);
	text("\xff\xfe", "1234567890123456789012345678901ü");
	negative(-80000000000LL, (const char *)0x1234);
	mixed(-32768, 65535, 4000000000u, -1UL, -100001);
	many(1, 2, 3, 4, 5, 6, 70000000000L, -8, '9', 10, 11, 0.12, 1.3f, -14, 15, 16);
	nothing();
	libraries();
	return 0;
}
