/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Red-black trees. No red node has a red child, and every way down from a node
 * passes the same number of black ones: so none is twice as long as another.
 */
#include <linux/rbtree.h>

static inline bool is_red(const struct rb_node *node)
{
	return node && node->rb_red;
}

/* @new takes @old's place below @parent. */
static inline void change_child(struct rb_root *root, struct rb_node *parent,
				struct rb_node *old, struct rb_node *new)
{
	if (!parent)
		root->rb_node = new;
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
}

/* The right child goes above its parent. */
static inline void rotate_left(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *up = node->rb_right;

	node->rb_right = up->rb_left;
	if (up->rb_left)
		up->rb_left->rb_parent = node;
	up->rb_parent = node->rb_parent;
	change_child(root, node->rb_parent, node, up);
	up->rb_left = node;
	node->rb_parent = up;
}

static inline void rotate_right(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *up = node->rb_left;

	node->rb_left = up->rb_right;
	if (up->rb_right)
		up->rb_right->rb_parent = node;
	up->rb_parent = node->rb_parent;
	change_child(root, node->rb_parent, node, up);
	up->rb_right = node;
	node->rb_parent = up;
}

/* The new node is red: a red parent is what has to be put right. */
void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent, *gparent, *uncle;

	while (is_red(parent = node->rb_parent)) {
		gparent = parent->rb_parent;
		uncle = parent == gparent->rb_left ? gparent->rb_right :
						     gparent->rb_left;
		if (is_red(uncle)) {
			parent->rb_red = false;
			uncle->rb_red = false;
			gparent->rb_red = true;
			node = gparent;
			continue;
		}
		if (parent == gparent->rb_left) {
			if (node == parent->rb_right) {
				rotate_left(root, parent);
				parent = node;
			}
			rotate_right(root, gparent);
		} else {
			if (node == parent->rb_left) {
				rotate_right(root, parent);
				parent = node;
			}
			rotate_left(root, gparent);
		}
		parent->rb_red = false;
		gparent->rb_red = true;
		break;
	}
	root->rb_node->rb_red = false;
}

/* Below @parent, @node's side has one black node too few. */
static inline void erase_color(struct rb_root *root, struct rb_node *node,
			       struct rb_node *parent)
{
	struct rb_node *other;

	while (node != root->rb_node && !is_red(node)) {
		bool left = parent->rb_left == node;

		other = left ? parent->rb_right : parent->rb_left;
		if (other->rb_red) {
			other->rb_red = false;
			parent->rb_red = true;
			if (left)
				rotate_left(root, parent);
			else
				rotate_right(root, parent);
			other = left ? parent->rb_right : parent->rb_left;
		}
		if (!is_red(other->rb_left) && !is_red(other->rb_right)) {
			other->rb_red = true;
			node = parent;
			parent = node->rb_parent;
			continue;
		}
		if (left) {
			if (!is_red(other->rb_right)) {
				other->rb_left->rb_red = false;
				other->rb_red = true;
				rotate_right(root, other);
				other = parent->rb_right;
			}
			other->rb_right->rb_red = false;
		} else {
			if (!is_red(other->rb_left)) {
				other->rb_right->rb_red = false;
				other->rb_red = true;
				rotate_left(root, other);
				other = parent->rb_left;
			}
			other->rb_left->rb_red = false;
		}
		other->rb_red = parent->rb_red;
		parent->rb_red = false;
		if (left)
			rotate_left(root, parent);
		else
			rotate_right(root, parent);
		node = root->rb_node;
	}
	if (node)
		node->rb_red = false;
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *child, *parent, *next;
	bool red = node->rb_red;

	if (!node->rb_left || !node->rb_right) {
		child = node->rb_left ? node->rb_left : node->rb_right;
		parent = node->rb_parent;
		change_child(root, parent, node, child);
	} else {
		/* The one that follows takes its place and colour. */
		for (next = node->rb_right; next->rb_left; next = next->rb_left)
			;
		red = next->rb_red;
		child = next->rb_right;
		parent = next->rb_parent;
		if (parent == node) {
			parent = next;
		} else {
			parent->rb_left = child;
			next->rb_right = node->rb_right;
			next->rb_right->rb_parent = next;
		}
		next->rb_left = node->rb_left;
		next->rb_left->rb_parent = next;
		next->rb_parent = node->rb_parent;
		next->rb_red = node->rb_red;
		change_child(root, node->rb_parent, node, next);
	}
	if (child)
		child->rb_parent = parent;
	if (!red)
		erase_color(root, child, parent);
}

struct rb_node *rb_last(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_right)
		node = node->rb_right;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right, *parent;

	if (next) {
		while (next->rb_left)
			next = next->rb_left;
		return next;
	}
	for (parent = node->rb_parent; parent && node == parent->rb_right;
	     parent = parent->rb_parent)
		node = parent;
	return parent;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *prev = node->rb_left, *parent;

	if (prev) {
		while (prev->rb_right)
			prev = prev->rb_right;
		return prev;
	}
	for (parent = node->rb_parent; parent && node == parent->rb_left;
	     parent = parent->rb_parent)
		node = parent;
	return parent;
}
