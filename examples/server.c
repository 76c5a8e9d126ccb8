/* SPDX-License-Identifier: MIT */
/* server.c - answers until it is stopped, while somebody looks:
 *
 *	cc -g -fpatchable-function-entry=5 -o server server.c
 *	whocallme trace --agent ./server &
 *	whocallme stack -p $!
 */
#include <unistd.h>

static void answer(void) { usleep(1000); }
static void serve(void) { answer(); }

int main(void)
{
	for (;;)
		serve();
}
