/* SPDX-License-Identifier: MIT */
/* probe_kinds.c - values of all kinds in probes, in C and C++: by our header, or by SystemTap's.
 *
 * main() hands itself on, so that nothing is known when it is compiled.
 */
#ifdef BY_SYSTEMTAP
#define SDT_USE_VARIADIC
#include <sys/sdt.h>
#define PROBE(provider, ...) STAP_PROBEV(provider, __VA_ARGS__)
#else
#include <whocallme/probe.h>
#define PROBE WCM_PROBE
#endif

/* More than registers that are not of the numbered ones. */
#define BYTE(n) ((signed char)(n - 2 * argc))

enum few { ONE = 1, TWO };

static short small = -2;
static unsigned short unsigned_small = 65535;
static double real = 2.5;
static float single = 0.5f;

__attribute__((noinline)) static void tell(int argc, char **argv)
{
	signed char byte = (signed char)-argc;
	unsigned char unsigned_byte = (unsigned char)(200 + argc);
	const unsigned number = 4000000000u;
	long wide = (long)(-5000000000ll * argc);
	unsigned long unsigned_wide = (unsigned long)-1;
	const enum few few = (enum few)(argc + 1);
	char text[8] = "text";
	const char *const volatile pointer = "pointed";

	PROBE(kinds, none);
	PROBE(kinds, integers, byte, unsigned_byte, small, unsigned_small, argc, number, wide,
	      unsigned_wide);
#ifdef __LP64__
	PROBE(kinds, others, few, text, argv, pointer, (void *)0, real, single);
#else
	PROBE(kinds, others, few, text, argv, pointer, (void *)0, single);
#endif
	PROBE(kinds, bytes, BYTE(1), BYTE(2), BYTE(3), BYTE(4), BYTE(5), BYTE(6), BYTE(7), BYTE(8),
	      BYTE(9));
	PROBE(kinds, constants, 1, -2, 3u, 4l, -5ll, 6ull, 7, 8, 9, 10, 11, 12);
}

int main(int argc, char **argv)
{
	tell(argc, argv);
	return 0;
}
