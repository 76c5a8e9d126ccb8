/* SPDX-License-Identifier: MIT */
/* variables.c - names variables: variables [LIBRARY].  Each line has a name, the distance of what
 * was asked for from its start, and its size. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include <whocallme.h>

int shown_number = 3;
static char hidden_bytes[100] = { 1 };
static long zeros[1000];
const char constant[32] = "constant";
static _Thread_local int of_thread;
struct { char first, rest[63]; } shown_struct;

__asm__(".data\n"
	"untyped_data: .skip 24, 1\n"
	".size untyped_data, 24\n"
	".skip 40, 1\n");
extern char untyped_data[] __attribute__((visibility("hidden")));

static void say(const void *address)
{
	struct wcm_symbol symbol;
	const enum wcm_status status = wcm_symbol_find((uintptr_t)address, &symbol);

	if (status != WCM_OK)
		puts(status == WCM_ENOSYMS ? "none" : "nowhere");
	else
		printf("%s +%" PRIu64 " of %" PRIu64 "%s\n", symbol.name, symbol.offset,
		       symbol.size, symbol.flags & WCM_SYMBOL_DATA ? "" : " code");
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const char *exported = library ? dlsym(library, "shown_number") : NULL;

	if (library) {
		say(exported);
		say(exported + 3);
		return exported == NULL;
	}
	say(&shown_number);
	say(&hidden_bytes[99]);
	say(&zeros[999]);
	say(&constant[31]);
	say(&shown_struct.rest[62]);
	say(&untyped_data[23]);
	say(&untyped_data[24]);
	say(&untyped_data[63]);
	say((const char *)say + 1);
	say(&of_thread);
	return 0;
}
