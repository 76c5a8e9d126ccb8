/* SPDX-License-Identifier: MIT */
/* undescribed.c - a fault at the first instruction of code that nothing describes,
 * called in every way.
 *
 *	undescribed HOW
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <whocallme.h>

__asm__(".text\n"
	".globl undescribed\n"
	".type undescribed, @function\n"
	"undescribed:\n"
	"	movl $1, 16\n"
	"	ret\n"
	".size undescribed, . - undescribed\n");
void undescribed(void);

struct table {
	void *unused;
	void (*entry[4])(void);
};

typedef void function(void);

static volatile int after;

__attribute__((noinline)) static void by_name(void)
{
	undescribed();
	after = 1;
}

__attribute__((noinline)) static void by_pointer(function *volatile *to)
{
	function *found = *to;

	__asm__("" : "+r"(found));
	found();
	after = 2;
}

__attribute__((noinline)) static void by_high_register(function *to)
{
	register function *r12 __asm__("r12") = to;

	__asm__ volatile("call *%0" : : "r"(r12) : "memory");
	after = 3;
}

__attribute__((noinline)) static void by_table(const struct table *table, long i)
{
	table->entry[i]();
	after = 4;
}

__attribute__((noinline)) static void by_stack(function *to)
{
	__asm__ volatile("push %0\n\tpush %0\n\tcall *8(%%rsp)" : : "r"(to));
	after = 5;
}

/* Code that is made at run time begins its page. */
static function *made(void)
{
	static const unsigned char ud2[] = { 0x0f, 0x0b };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, ud2, sizeof(ud2));
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	return (function *)page;
}

__attribute__((noinline)) static void run(const char *how)
{
	static struct table table = { NULL, { abort, abort, undescribed, abort } };
	struct table *volatile tables[] = { &table };
	volatile long third = 2;
	function *volatile to = undescribed, *volatile run_time = made();

	if (strcmp(how, "name") == 0)
		by_name();
	else if (strcmp(how, "pointer") == 0)
		by_pointer(&to);
	else if (strcmp(how, "high") == 0)
		by_high_register(to);
	else if (strcmp(how, "table") == 0)
		by_table(tables[0], third);
	else if (strcmp(how, "stack") == 0)
		by_stack(to);
	else if (strcmp(how, "made") == 0)
		by_pointer(&run_time);
	after = 6;
}

int main(int argc, char *argv[])
{
	if (argc < 2 || wcm_crash_install(NULL) != WCM_OK ||
	    init_function_table(NULL) != 0)
		return 2;
	run(argv[1]);
	return after;
}
