/* SPDX-License-Identifier: MIT */
/* article.c - functions called directly, by a pointer and by threads, one of them inline and one
 * that the rules leave out. */
#include <pthread.h>
#include <stdio.h>

#define CALLED __attribute__((noinline, noclone))

static inline int add1(int x)
{
	return x + 1;
}

CALLED int blub2(int x)
{
	__asm__ volatile("");
	return x * 2;
}

CALLED char fun_char(char c)
{
	__asm__ volatile("");
	return (char)add1(c);
}

CALLED int write_ext2(const char *text)
{
	return puts(text);
}

static void *doSomeThing(void *given)
{
	return (char *)given + blub2(1);
}

int main(void)
{
	int (*volatile by_pointer)(const char *) = write_ext2;
	char text[2] = { fun_char('a'), 0 };

	by_pointer(text);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, doSomeThing, text) ||
		    pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
