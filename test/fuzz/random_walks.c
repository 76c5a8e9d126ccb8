/* SPDX-License-Identifier: MIT */
/* random_walks.c - walks from any registers over any memory never fault.
 *
 * Registers and memory hold words of every kind that leads a walk somewhere: near
 * each other, into code, into tables, to the edges of what is mapped, nowhere.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <whocallme.h>

enum { PAGES = 16, PAGE = 4096, SIZE = PAGES * PAGE, MAX_FRAMES = 128,
       RENEWED = 64 };

static unsigned char *memory; /* between pages that cannot be read */
static sigjmp_buf back;
static volatile unsigned long faults;

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	siglongjmp(back, 1);
}

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Code of libc, of this program, of the library; what lies around it. */
static uintptr_t random_code(uint64_t random)
{
	const uintptr_t code[] = { (uintptr_t)qsort, (uintptr_t)random_code,
				   (uintptr_t)snprintf,
				   (uintptr_t)wcm_stack_capture,
				   (uintptr_t)sigaction };

	return code[random % 5] + (random >> 8) % 8192 - 2048;
}

static uintptr_t random_word(void)
{
	uint64_t random = next_random(), kind = random % 16;

	random >>= 4;
	if (kind < 3)
		return (uintptr_t)memory + random % SIZE / 8 * 8;
	if (kind < 8)
		return random_code(random);
	switch (kind) {
	case 8:
		return (uintptr_t)memory + SIZE - 32 + random % 64;
	case 9:
		return (uintptr_t)memory - 32 + random % 64;
	case 10:
		return (uintptr_t)__builtin_frame_address(0) - 4096 +
		       random % 16384 / 8 * 8;
	case 11:
		return random % 4096;
	case 12:
		return UINTPTR_MAX - random % 4096;
	case 13:
		return (uintptr_t)1 << random % 64;
	}
	return random;
}

static void renew_memory(void)
{
	bool is_stack = next_random() % 2; /* mostly return addresses */

	for (size_t i = 0; i < SIZE; i += sizeof(uintptr_t)) {
		uintptr_t word = is_stack && next_random() % 8
					 ? random_code(next_random())
					 : random_word();

		memcpy(memory + i, &word, sizeof(word));
	}
}

static void renew_registers(ucontext_t *context)
{
	greg_t *gregs = context->uc_mcontext.gregs;

	for (int i = 0; i < NGREG; i++)
		gregs[i] = (greg_t)random_word();
	if (next_random() % 4 != 0)
		gregs[REG_RIP] = (greg_t)random_code(next_random());
	if (next_random() % 4 != 0)
		gregs[REG_RSP] = (greg_t)((uintptr_t)memory +
					  next_random() % SIZE / 8 * 8);
	gregs[REG_TRAPNO] = next_random() % 8 ? 14 : 0;
	if (next_random() % 8 == 0)
		gregs[REG_CR2] = gregs[REG_RIP];
}

static unsigned long walk(unsigned long walks)
{
	static struct wcm_frame frames[MAX_FRAMES];
	static ucontext_t context;
	static unsigned long i, count;

	for (i = count = 0; i < walks; i++) {
		enum wcm_stop stop;

		if (i % RENEWED == 0)
			renew_memory();
		renew_registers(&context);
		if (sigsetjmp(back, 1) == 0)
			count += wcm_stack_capture_from(&context, frames,
							MAX_FRAMES, 0, &stop);
	}
	return count;
}

int main(void)
{
	const char *asked = getenv("RANDOM_WALKS");
	unsigned long walks = asked ? strtoul(asked, NULL, 10) : 20000, frames;
	struct sigaction action = { .sa_handler = on_fault };
	unsigned char *pages = mmap(NULL, SIZE + 2 * PAGE, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memory = pages + PAGE;
	if (pages == MAP_FAILED ||
	    mprotect(memory, SIZE, PROT_READ | PROT_WRITE) != 0)
		return 99;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	alarm(3600);
	frames = walk(walks / 2);
	init_function_table(NULL);
	frames += walk(walks - walks / 2);
	printf("# %lu walks, %lu frames, %lu faults\n", walks, frames, faults);
	printf("%sok 1 - no walk faults\n1..1\n", faults ? "not " : "");
	return faults != 0;
}
