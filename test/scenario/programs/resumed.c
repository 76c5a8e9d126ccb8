/* SPDX-License-Identifier: MIT */
/* resumed.c - crashes below frames of which one returns to where no call is in front:
 * resumed code|twice|memory|data|thread. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

void enter(void), crash(void), continuation(void), continuation_next(void);
void *resumed_at, *resumed_next;
static long data[4] = { 1, 2, 3, 4 };

void crash(void)
{
	*(volatile int *)0 = 1;
}

static void *outer(void *unused)
{
	enter();
	return unused;
}

/* pop %rbp; ret */
static void *memory(void)
{
	static const unsigned char code[] = { 0x5d, 0xc3 };
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page + 64, code, sizeof(code));
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	return page + 64;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "code";
	pthread_t thread;

	resumed_at = strcmp(kind, "memory") == 0 ? memory() :
		     strcmp(kind, "data") == 0	 ? (void *)data : (void *)continuation;
	resumed_next = strcmp(kind, "twice") == 0 ? (void *)continuation_next : NULL;
	if (strcmp(kind, "thread") == 0 && pthread_create(&thread, NULL, outer, NULL) == 0)
		pthread_join(thread, NULL);
	outer(NULL);
	return 0;
}
