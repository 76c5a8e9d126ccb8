/* SPDX-License-Identifier: MIT */
/* traced_plugin.c - an instrumented library that is opened at run time. */
void plugin_run(void);
void plugin_step(void);

void plugin_step(void)
{
}

void plugin_run(void)
{
	plugin_step();
}
