/* SPDX-License-Identifier: MIT */
/* through.c - a library that is on the stack while its headers are damaged. */
#define VISIBLE __attribute__((visibility("default")))

/* Ends the library, so that what follows it there is nobody else's. */
VISIBLE char behind[16384];

VISIBLE int through(int (*call)(void *), void *data);
VISIBLE int through_again(int (*call)(void *), void *data);

int through(int (*call)(void *), void *data)
{
	volatile int result = call(data); /* no tail call */

	return result;
}

int through_again(int (*call)(void *), void *data)
{
	volatile char room[200];

	room[0] = (char)through(call, data);
	return room[0];
}
