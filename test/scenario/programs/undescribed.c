/* SPDX-License-Identifier: MIT */
/* undescribed.c - a fault at the first instruction of code that nothing describes,
 * called in every way; or of data among the code, some instructions further.
 *
 *	undescribed HOW
 *	undescribed call|jump DATA
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

#define DATA __attribute__((section(".text#"))) static const unsigned char
DATA zeros[8] = { 0 };
DATA numbers[16] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
DATA words[16] = "Hello, world";
DATA path[16] = "/usr/lib";
#ifdef __i386__
DATA invalid[8] = { 0xff, 0xff };
#else
DATA invalid[8] = { 0x06, 0x07 };
#endif
DATA privileged[8] = { 0xf4 };
DATA breakpoint[8] = { 0xcc, 0xcc };
DATA nops[8] = { 0x90, 0x90, 0x90, 0xf4 };
DATA clears_registers[8] = { 0x31, 0xc0, 0x31, 0xd2, 0x31, 0xc9, 0xf4 };
DATA divides_by_zero[8] = { 0x31, 0xc9, 0xf7, 0xf1 };
DATA reads_null[8] = { 0x8b, 0x04, 0x25, 16 };

static const struct {
	const char *name;
	const unsigned char *bytes;
} data[] = {
	{ "zeros", zeros },
	{ "numbers", numbers },
	{ "words", words },
	{ "path", path },
	{ "invalid", invalid },
	{ "privileged", privileged },
	{ "breakpoint", breakpoint },
	{ "nops", nops },
	{ "clears_registers", clears_registers },
	{ "divides_by_zero", divides_by_zero },
	{ "reads_null", reads_null },
};

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
#ifdef __i386__
	register function *preserved __asm__("esi") = to;
#else
	register function *preserved __asm__("r12") = to;
#endif

	__asm__ volatile("call *%0" : : "r"(preserved) : "memory");
	after = 3;
}

__attribute__((noinline)) static void by_table(const struct table *table, long i)
{
	table->entry[i]();
	after = 4;
}

__attribute__((noinline)) static void by_stack(function *to)
{
#ifdef __i386__
	__asm__ volatile("push %0\n\tpush %0\n\tcall *4(%%esp)" : : "r"(to));
#else
	__asm__ volatile("push %0\n\tpush %0\n\tcall *8(%%rsp)" : : "r"(to));
#endif
	after = 5;
}

__attribute__((noinline)) static void jump(function *volatile *to)
{
	(*to)();
}

__attribute__((noinline)) static void by_jump(function *volatile *to)
{
	jump(to);
	after = 7;
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

__attribute__((noinline)) static void run_data(const char *how, const char *name)
{
	function *volatile to = abort;

	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		if (strcmp(name, data[i].name) == 0)
			to = (function *)data[i].bytes;
	if (strcmp(how, "jump") == 0)
		by_jump(&to);
	else
		by_pointer(&to);
	after = 8;
}

int main(int argc, char *argv[])
{
	if (argc < 2 || wcm_crash_install(NULL) != WCM_OK ||
	    init_function_table(NULL) != 0)
		return 2;
	if (argc > 2)
		run_data(argv[1], argv[2]);
	else
		run(argv[1]);
	return after;
}
