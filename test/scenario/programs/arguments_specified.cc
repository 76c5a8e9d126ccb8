/* SPDX-License-Identifier: MIT */
/* arguments_specified.cc - functions for specifications of each kind, in any order. */
#include <string>

enum sparse { S4 = 4, S1 = 1, S8 = 8, S2 = 2, S200K = 200000 };
enum high { HIGH = 0x80000000u, LOW = 1, ALL = 0xffffffffu };
enum zero { NONE, FIVE = 5 };

extern "C" {
__attribute__((noinline)) int add(int a, int b) { return a + b; }
__attribute__((noinline)) double mul(double a, long long b) { return a * (double)b; }
__attribute__((noinline)) float half(float a, float, double) { return a / 2; }
__attribute__((noinline)) long double wide(long double a, int) { return a; }
__attribute__((noinline)) int many(int, int, int, int, int, int, int, int h) { return h; }
__attribute__((noinline)) const char *str(const char *s, char, int (*)(int, int)) { return s; }
__attribute__((noinline)) int pick(sparse, high, zero) { return 0; }
__attribute__((noinline)) int text(std::string s, const std::string &) { return (int)s.size(); }
}

int main()
{
	add(-1, 2), add(-100000, 100001);
	mul(-3.0, 80000000000LL);
	half(1.5f, 2.5f, 3.25);
	wide(1.25L, 7);
	many(1, 2, 3, 4, 5, 6, 70000, -8);
	str("hello", 'x', add);
	for (int i = -3; i < 18; i++)
		pick((sparse)i, (high)i, (zero)i);
	pick((sparse)-200000, (high)0x7fffffff, (zero)200001);
	text("abc\n", "quite a bit longer than sixteen");
	return 0;
}
