/* SPDX-License-Identifier: MIT */
/* comings.c - modules that come, go and take each other's place, and code that
 * belongs to none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <whocallme.h>

static const char *base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "-";
}

static void say(const char *how, void *address,
		enum wcm_status find(uintptr_t, struct wcm_symbol *))
{
	struct wcm_symbol symbol;
	enum wcm_status status = find((uintptr_t)address, &symbol);

	printf("%s: %s %s%s%s: %s\n", how, base(symbol.module),
	       symbol.name ? symbol.name : "??",
	       symbol.flags & WCM_SYMBOL_DYNSYM ? " dynsym" : "",
	       symbol.flags & WCM_SYMBOL_UNLOADED ? " unloaded" : "",
	       wcm_status_text(status));
}

static void *symbol_of(void *module, const char *name)
{
	void *found = dlsym(module, name);

	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return found;
}

static void *hidden_of(void *module)
{
	return ((void *(*)(void))symbol_of(module, "hidden_address"))();
}

static void later(char *paths[])
{
	void *a = dlopen(paths[0], RTLD_NOW);

	say("peek exported", symbol_of(a, "old_shown"), wcm_symbol_peek);
	say("peek static", hidden_of(a), wcm_symbol_peek);
	say("find static", hidden_of(a), wcm_symbol_find);
	say("peek static", hidden_of(a), wcm_symbol_peek);
}

/* The second library takes the place of the first. */
static void replaced(char *paths[])
{
	struct wcm_symbol kept;
	void *a = dlopen(paths[0], RTLD_NOW), *b, *place = hidden_of(a);

	wcm_symbol_find((uintptr_t)place, &kept);
	say("before", place, wcm_symbol_find);
	dlclose(a);
	say("gone", place, wcm_symbol_peek);
	say("gone", place, wcm_symbol_find);
	b = dlopen(paths[1], RTLD_NOW);
	printf("same place: %d\n", hidden_of(b) == place);
	say("peek", place, wcm_symbol_peek);
	say("find", place, wcm_symbol_find);
	printf("kept: %s %s\n", base(kept.module), kept.name);
	dlclose(b);
	a = dlopen(paths[0], RTLD_NOW);
	say("back", place, wcm_symbol_find);
}

static void other_namespace(char *paths[])
{
	void *a = dlmopen(LM_ID_NEWLM, paths[0], RTLD_NOW);

	say("exported", symbol_of(a, "old_shown"), wcm_symbol_find);
	say("static", hidden_of(a), wcm_symbol_find);
}

static void vdso(char *paths[])
{
	void *module = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);

	(void)paths;
	if (module)
		say("vdso", symbol_of(module, "__vdso_clock_gettime"),
		    wcm_symbol_find);
}

static void ask(void)
{
	who_call_me();
}

/* Code of no module: sub $8,%rsp; call *%rdi; add $8,%rsp; ret.  Or sub $12,%esp; call
 * *16(%esp); add $12,%esp; ret. */
static void jit(char *paths[])
{
#ifdef __i386__
	static const unsigned char code[] = { 0x83, 0xec, 0x0c, 0xff, 0x54, 0x24, 0x10,
					      0x83, 0xc4, 0x0c, 0xc3 };
#else
	static const unsigned char code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
					      0x48, 0x83, 0xc4, 0x08, 0xc3 };
#endif
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)paths;
	memcpy(made, code, sizeof(code));
	((void (*)(void (*)(void)))made)(ask);
	say("jit", made, wcm_symbol_find);
}

/* The library's file is replaced before it is read. */
static void stale(char *paths[])
{
	void *a = dlopen(paths[0], RTLD_NOW);

	if (system(paths[1]) != 0)
		exit(3);
	say("exported", symbol_of(a, "old_shown"), wcm_symbol_find);
	say("static", hidden_of(a), wcm_symbol_find);
	fflush(stdout);
	wcm_modules_write(1);
}

static const struct {
	const char *name;
	void (*run)(char *paths[]);
} cases[] = {
	{ "later", later },   { "replaced", replaced }, { "dlmopen", other_namespace },
	{ "vdso", vdso },     { "jit", jit },           { "stale", stale },
};

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run(argv + 2), 0;
	return 2;
}
