/* SPDX-License-Identifier: MIT */
/* graph.c - who calls whom, how often and for how long, as a drawing:
 *
 *	cc -finstrument-functions -o graph graph.c -lwhocallme
 *	./graph && dot -Tsvg graph.dot >graph.svg
 */
#include <stdio.h>
#include <whocallme.h>

static int is_prime(int number)
{
	for (int divisor = 2; divisor * divisor <= number; divisor++)
		if (number % divisor == 0)
			return 0;
	return number > 1;
}

static int count_primes(int limit)
{
	int count = 0;

	for (int number = 0; number < limit; number++)
		count += is_prime(number);
	return count;
}

int main(void)
{
	const struct wcm_trace_options options = {
		.mode = WCM_TRACE_GRAPH, .output = "graph.dot",
	};
	int few = count_primes(100);

	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	printf("%d %d\n", few, count_primes(1000));
	wcm_trace_stop();
	return 0;
}
