/* SPDX-License-Identifier: MIT */
/* plain.c - C with inlined functions, cold parts and functions nobody calls. */
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
	struct tree *left, *right;
	int value;
};

static struct tree *insert(struct tree *tree, int value)
{
	if (!tree) {
		tree = calloc(1, sizeof(*tree));
		if (!tree)
			plain_fail("memory");
		tree->value = value;
	} else if (value < tree->value) {
		tree->left = insert(tree->left, value);
	} else {
		tree->right = insert(tree->right, value);
	}
	return tree;
}

static int sum(const struct tree *tree)
{
	return tree ? tree->value + sum(tree->left) + sum(tree->right) : 0;
}

static void drop(struct tree *tree)
{
	if (!tree)
		return;
	drop(tree->left);
	drop(tree->right);
	free(tree);
}

static const char *kind(int value)
{
	switch (clamp(value, 0, 6)) {
	case 0:
		return "none";
	case 1:
		return "one";
	case 2:
		return "a pair";
	case 3:
		return "three";
	case 4:
		return "two pairs";
	default:
		return "many";
	}
}

/* Longer than the first page of a program, and dropped by --gc-sections. */
#define EIGHT(x) x x x x x x x x
int never_called(int value)
{
	EIGHT(EIGHT(EIGHT(value = clamp(value * 3 + 1, -value, 9999);)))
	return value;
}

static __attribute__((noinline)) int average(const int *values, size_t count,
					     int scale)
{
	long total = 0;

	if (count == 0)
		plain_fail("no values");
	for (size_t i = 0; i < count; i++)
		total += clamp(values[i], -100, 100) * scale;
	return (int)(total / (long)count);
}

int main(int argc, char *argv[])
{
	struct tree *tree = NULL;
	int values[32];
	int count = 0;

	for (int i = 1; i < argc; i++)
		count = plain_parse(argv[i], values, 32);
	for (int i = 0; i < count; i++)
		tree = insert(tree, values[i]);
	printf("%s %d %d %u\n", kind(count), sum(tree),
	       average(values, (size_t)count, 10),
	       mix_all(values, (size_t)count));
	drop(tree);
	return 0;
}
