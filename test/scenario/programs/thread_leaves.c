/* SPDX-License-Identifier: MIT */
/* thread_leaves.c - a thread ends by pthread_exit() in a call that has taken 100 ms. */
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) static void leave(void)
{
	usleep(100 * 1000);
	pthread_exit(NULL);
}

__attribute__((noinline)) static void *work(void *argument)
{
	leave();
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
