/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sparse array as a tree of 64-slot nodes. The head covers just as many
 * levels as the highest index needs; nodes go when their last slot empties.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#define XA_CHUNK_SHIFT	6
#define XA_CHUNK_SIZE	(1U << XA_CHUNK_SHIFT)
#define XA_CHUNK_MASK	(XA_CHUNK_SIZE - 1)

struct xa_node {
	unsigned int	shift;		/* index bits below this level */
	unsigned int	offset;		/* our slot in the parent */
	unsigned int	count;		/* slots in use */
	struct xa_node	*parent;
	void		*slots[XA_CHUNK_SIZE];
};

static struct kmem_cache *radix_tree_node_cachep;

void xa_init(struct xarray *xa)
{
	spin_lock_init(&xa->xa_lock);
	xa->xa_head = NULL;
}

static inline unsigned int slot_of(const struct xa_node *node,
				   unsigned long index)
{
	return (index >> node->shift) & XA_CHUNK_MASK;
}

/* The highest index that fits below @node. */
static inline unsigned long max_index(const struct xa_node *node)
{
	unsigned int bits = node->shift + XA_CHUNK_SHIFT;

	return bits >= 8 * sizeof(long) ? ~0UL : (1UL << bits) - 1;
}

/* The lowest node that exists on the way to @index, or NULL. */
static inline struct xa_node *descend(struct xarray *xa, unsigned long index)
{
	struct xa_node *node = xa->xa_head;

	if (!node || index > max_index(node))
		return NULL;
	while (node->shift) {
		struct xa_node *next = node->slots[slot_of(node, index)];

		if (!next)
			break;
		node = next;
	}
	return node;
}

void *__xa_load(struct xarray *xa, unsigned long index)
{
	struct xa_node *node = descend(xa, index);

	if (!node || node->shift)
		return NULL;
	return node->slots[slot_of(node, index)];
}

static inline struct xa_node *new_node(struct xa_node *parent,
				       unsigned int shift, unsigned int offset)
{
	struct xa_node *node;

	node = kmem_cache_zalloc(radix_tree_node_cachep, GFP_ATOMIC);
	if (!node)
		return NULL;
	node->shift = shift;
	node->offset = offset;
	node->parent = parent;
	if (parent) {
		parent->slots[offset] = node;
		parent->count++;
	}
	return node;
}

/*
 * Adds levels above the head until @index fits. A first head is made as high
 * as that, or there would be a node for low indices that stays empty.
 */
static inline int grow(struct xarray *xa, unsigned long index)
{
	struct xa_node *head;

	if (!xa->xa_head) {
		unsigned int shift = 0;

		while (index >> shift > XA_CHUNK_MASK)
			shift += XA_CHUNK_SHIFT;
		xa->xa_head = new_node(NULL, shift, 0);
		return xa->xa_head ? 0 : -ENOMEM;
	}
	while (index > max_index(xa->xa_head)) {
		head = new_node(NULL, xa->xa_head->shift + XA_CHUNK_SHIFT, 0);
		if (!head)
			return -ENOMEM;
		head->slots[0] = xa->xa_head;
		head->count = 1;
		xa->xa_head->parent = head;
		xa->xa_head = head;
	}
	return 0;
}

/* Frees @node and its ancestors as far as they are empty. */
static inline void free_empty(struct xarray *xa, struct xa_node *node)
{
	while (node && !node->count) {
		struct xa_node *parent = node->parent;

		if (parent) {
			parent->slots[node->offset] = NULL;
			parent->count--;
		} else {
			xa->xa_head = NULL;
		}
		kmem_cache_free(radix_tree_node_cachep, node);
		node = parent;
	}
}

int __xa_insert(struct xarray *xa, unsigned long index, void *entry)
{
	struct xa_node *node;
	unsigned int slot;

	if (grow(xa, index)) {
		free_empty(xa, xa->xa_head);
		return -ENOMEM;
	}
	node = descend(xa, index);
	while (node->shift) {
		struct xa_node *child = new_node(node,
						 node->shift - XA_CHUNK_SHIFT,
						 slot_of(node, index));
		if (!child) {
			free_empty(xa, node);
			return -ENOMEM;
		}
		node = child;
	}
	slot = slot_of(node, index);
	if (node->slots[slot])
		return -EBUSY;
	node->slots[slot] = entry;
	node->count++;
	return 0;
}

void *__xa_erase(struct xarray *xa, unsigned long index)
{
	struct xa_node *node = descend(xa, index);
	unsigned int slot;
	void *entry;

	if (!node || node->shift)
		return NULL;
	slot = slot_of(node, index);
	entry = node->slots[slot];
	if (entry) {
		node->slots[slot] = NULL;
		node->count--;
		free_empty(xa, node);
	}
	return entry;
}

void *__xa_find(struct xarray *xa, unsigned long *index)
{
	unsigned long at = *index;
	struct xa_node *node;

	while ((node = descend(xa, at))) {
		unsigned int first = slot_of(node, at), slot = first;

		while (slot < XA_CHUNK_SIZE && !node->slots[slot])
			slot++;
		/* Nothing from here on: what comes after the whole node. */
		if (slot == XA_CHUNK_SIZE) {
			at = (at | max_index(node)) + 1;
			if (!at)
				return NULL;
			continue;
		}
		if (slot != first)
			at = (at & ~max_index(node)) |
			     (unsigned long)slot << node->shift;
		if (!node->shift) {
			*index = at;
			return node->slots[slot];
		}
	}
	return NULL;
}

void radix_tree_init(void)
{
	radix_tree_node_cachep = KMEM_CACHE(xa_node, SLAB_PANIC);
}
