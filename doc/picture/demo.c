/* SPDX-License-Identifier: MIT */
/* demo.c - the program of the README's picture: a list that ends too early. */
#include <stdio.h>
#include <whocallme.h>

struct order {
	int number;
	const char *customer;
	struct order *next;
};

static inline int length(const char *text)
{
	int count = 0;

	while (text[count] != '\0')
		count++;
	return count;
}

static int widest(const struct order *order)
{
	int most = 0;

	for (; order; order = order->next)
		if (length(order->customer) > most)
			most = length(order->customer);
	return most;
}

int main(int argc, char *argv[])
{
	struct order last = { 3, argc > 1 ? argv[1] : NULL, NULL };
	struct order first = { 1, "Ada Lovelace", &last };

	init_function_table(argv[0]);
	wcm_crash_install(NULL);
	printf("%d\n", widest(&first));
	return 0;
}
