/* SPDX-License-Identifier: GPL-2.0-only */
/* Red-black trees: the user compares, the tree keeps its balance. */
#ifndef _LINUX_RBTREE_H
#define _LINUX_RBTREE_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/container_of.h>

struct rb_node {
	struct rb_node *rb_parent;
	struct rb_node *rb_left;
	struct rb_node *rb_right;
	bool rb_red;
};

struct rb_root {
	struct rb_node *rb_node;
};

/* Remembers the first one. */
struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT			((struct rb_root){ NULL })
#define RB_ROOT_CACHED		((struct rb_root_cached){ { NULL }, NULL })
#define rb_entry(ptr, type, member)	container_of(ptr, type, member)
#define rb_first_cached(root)	((root)->rb_leftmost)

/* A node that is in no tree is its own parent. */
#define RB_CLEAR_NODE(node)	((node)->rb_parent = (node))
#define RB_EMPTY_NODE(node)	((node)->rb_parent == (node))

/* After rb_link_node() has put it in its place. */
void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_erase(struct rb_node *node, struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->rb_parent = parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	node->rb_red = true;
	*link = node;
}

/* Behind all that are not greater. */
static __always_inline void
rb_add_cached(struct rb_node *node, struct rb_root_cached *tree,
	      bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &tree->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	if (leftmost)
		tree->rb_leftmost = node;
	rb_link_node(node, parent, link);
	rb_insert_color(node, &tree->rb_root);
}

static __always_inline void rb_erase_cached(struct rb_node *node,
					    struct rb_root_cached *tree)
{
	if (tree->rb_leftmost == node)
		tree->rb_leftmost = rb_next(node);
	rb_erase(node, &tree->rb_root);
}

#endif
