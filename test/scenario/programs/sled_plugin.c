/* SPDX-License-Identifier: MIT */
/* sled_plugin.c - a library whose constructor and destructor call its own functions, and
 * that chooses one of them when it is relocated. */
void plugin_run(void);
void plugin_made(void);
void plugin_gone(void);
void plugin_step(void);
void plugin_chosen(void);
static void one(void);

__attribute__((noinline)) void plugin_step(void)
{
	__asm__ volatile("");
}

static void one(void)
{
	plugin_step();
}

static void (*choose(void))(void)
{
	return one;
}

__attribute__((ifunc("choose"))) void plugin_chosen(void);

void plugin_run(void)
{
	plugin_chosen();
}

__attribute__((constructor)) void plugin_made(void)
{
	plugin_step();
}

__attribute__((destructor)) void plugin_gone(void)
{
	plugin_step();
}
