/* SPDX-License-Identifier: MIT */
/* tree.c - keeps items in order while they grow in number: a treap.
 *
 * By the items it is a search tree, by priorities, which are random, a heap: of the shape
 * of a tree to which the items were added in random order, whatever an input's order is.
 */
#include "base/tree.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"

struct tree_node {
	struct tree_node *left, *right;
	uint64_t priority;
	void *item;
};

/* Have *LEFT be what of NODE is not behind KEY, *RIGHT the rest. */
static void split(const struct tree *tree, struct tree_node *node, const void *key,
		  struct tree_node **left, struct tree_node **right)
{
	while (node) {
		if (tree->compare(key, node->item) < 0) {
			*right = node;
			right = &node->left;
			node = node->left;
		} else {
			*left = node;
			left = &node->right;
			node = node->right;
		}
	}
	*left = *right = NULL;
}

/* Have *WHERE be LEFT and RIGHT, which is behind it. */
static void join(struct tree_node **where, struct tree_node *left, struct tree_node *right)
{
	while (left && right) {
		if (left->priority >= right->priority) {
			*where = left;
			where = &left->right;
			left = left->right;
		} else {
			*where = right;
			where = &right->left;
			right = right->left;
		}
	}
	*where = left ? left : right;
}

bool tree_add(struct tree *tree, void *item)
{
	struct tree_node **where = &tree->root, *node;

	if (tree_find(tree, item))
		return true;
	node = malloc(sizeof(*node));
	if (!node)
		return false;
	*node = (struct tree_node){ .item = item,
				    .priority = hash_slot(&node, sizeof(node)) };
	while (*where && (*where)->priority >= node->priority)
		where = tree->compare(item, (*where)->item) < 0 ? &(*where)->left :
								  &(*where)->right;
	split(tree, *where, item, &node->left, &node->right);
	*where = node;
	return true;
}

void *tree_up_to(const struct tree *tree, const void *key)
{
	void *found = NULL;

	for (struct tree_node *node = tree->root; node;)
		if (tree->compare(key, node->item) < 0) {
			node = node->left;
		} else {
			found = node->item;
			node = node->right;
		}
	return found;
}

void *tree_behind(const struct tree *tree, const void *key)
{
	void *found = NULL;

	for (struct tree_node *node = tree->root; node;)
		if (tree->compare(key, node->item) < 0) {
			found = node->item;
			node = node->left;
		} else {
			node = node->right;
		}
	return found;
}

void *tree_find(const struct tree *tree, const void *key)
{
	void *found = tree_up_to(tree, key);

	return found && tree->compare(key, found) == 0 ? found : NULL;
}

void tree_remove(struct tree *tree, const void *key)
{
	struct tree_node **where = &tree->root, *node;
	int order;

	while (*where && (order = tree->compare(key, (*where)->item)) != 0)
		where = order < 0 ? &(*where)->left : &(*where)->right;
	node = *where;
	if (!node)
		return;
	join(where, node->left, node->right);
	free(node);
}

void tree_free_each(struct tree *tree, void (*end)(void *item))
{
	struct tree_node *node;

	while ((node = tree->root)) {
		join(&tree->root, node->left, node->right);
		if (end)
			end(node->item);
		free(node);
	}
}

void tree_free(struct tree *tree)
{
	tree_free_each(tree, NULL);
}
