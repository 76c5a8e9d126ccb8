/* SPDX-License-Identifier: MIT */
/* probe_shop.c - probes in nested functions, one with a semaphore; argument 1 is how often. */
#include <stdio.h>
#include <stdlib.h>
#include <whocallme/probe.h>

WCM_PROBE_SEMAPHORE(shop, guarded);
static int watched;

__attribute__((noinline)) static int leaf(int number)
{
	WCM_PROBE(shop, leaf, number, (short)-number, (unsigned char)(number + 250));
	return number + 1;
}

__attribute__((noinline)) static int sell(const char *item, double price, long number)
{
	const int result = leaf((int)number);

	WCM_PROBE(shop, sold, item[0], price, number, (float)price, (void *)0);
	if (WCM_PROBE_ENABLED(shop, guarded)) {
		watched++;
		WCM_PROBE(shop, guarded, result * 2);
	}
	return result;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 3;
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += sell("tea", 2.5 * i, i);
	printf("%d %d\n", sum, watched);
	return 0;
}
