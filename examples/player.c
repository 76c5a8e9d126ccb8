/* SPDX-License-Identifier: MIT */
/* player.c - dies of a call of a NULL function pointer.  The stack says where that is; only
 * the last calls say how it came to that:
 *
 *	cc -g -fpatchable-function-entry=5 -o player player.c
 *	whocallme run --flight=8 ./player
 */
#include <stdio.h>

static void (*on_end)(const char *song);

static void say(const char *song) { printf("%s ends\n", song); }
static void set_quiet(void) { on_end = NULL; }
static int volume(int n) { return n > 2 ? 0 : 9 - n; }
static void adjust(int n) { if (volume(n) == 0) set_quiet(); }
static void play(const char *song, int n) { adjust(n); on_end(song); }

int main(void)
{
	on_end = say;
	for (int n = 0; n < 9; n++)
		play("song", n);
	return 0;
}
