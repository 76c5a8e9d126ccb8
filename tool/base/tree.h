/* SPDX-License-Identifier: MIT */
/* tree.h - what is kept in order while it grows: a treap, in which whatever order items
 * come in, finding one takes time by the logarithm of their number.
 */
#ifndef WCM_TOOL_TREE_H
#define WCM_TOOL_TREE_H

#include <stdbool.h>

struct tree {
	struct tree_node *root; /* NULL: it is empty */
	/* Below 0, 0 or above, as A is before B, equal, or behind it. */
	int (*compare)(const void *a, const void *b);
};

/* Add ITEM, which stays the caller's.  True also where one that is equal is there, which
 * stays; false when out of memory. */
bool tree_add(struct tree *tree, void *item);

/* The last item that is not behind KEY; the first behind it; or NULL. */
void *tree_up_to(const struct tree *tree, const void *key);
void *tree_behind(const struct tree *tree, const void *key);

/* The one that is equal to KEY, or NULL. */
void *tree_find(const struct tree *tree, const void *key);

/* Take it out. */
void tree_remove(struct tree *tree, const void *key);

/* Take all out; each that was in it is passed to END, if that is not NULL. */
void tree_free_each(struct tree *tree, void (*end)(void *item));
void tree_free(struct tree *tree);

#endif
