/* SPDX-License-Identifier: MIT */
/* recorded_plugin.c - a library that recorded.c opens. */
void plugged(void);

static int inner(int n)
{
	return n ? inner(n - 1) + 1 : 0;
}

void plugged(void)
{
	inner(2);
}
