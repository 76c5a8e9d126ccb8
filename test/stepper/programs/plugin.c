/* SPDX-License-Identifier: MIT */
/* plugin.c - what loads.c loads. */
#include <stdio.h>
#include <string.h>

void visit(void (*function)(int), int depth);

void visit(void (*function)(int), int depth)
{
	char text[50];

	snprintf(text, sizeof(text), "%d", depth);
	if (depth > 0)
		visit(function, depth - 1);
	function((int)strlen(text));
}
