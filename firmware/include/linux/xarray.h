/* SPDX-License-Identifier: GPL-2.0-only */
/* A sparse array of pointers, indexed by unsigned long. Not traced. */
#ifndef _LINUX_XARRAY_H
#define _LINUX_XARRAY_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct xa_node;

struct xarray {
	spinlock_t	xa_lock;
	struct xa_node	*xa_head;
};

#define xa_lock(xa)	spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa)	spin_unlock(&(xa)->xa_lock)

notrace void xa_init(struct xarray *xa);

/* The caller holds xa_lock, and decides how long an entry stays valid. */
notrace void *__xa_load(struct xarray *xa, unsigned long index);
/* -EBUSY if there is an entry already, or -ENOMEM. */
notrace int __xa_insert(struct xarray *xa, unsigned long index, void *entry);
notrace void *__xa_erase(struct xarray *xa, unsigned long index);
/* The first entry at *index or above; *index becomes its index. */
notrace void *__xa_find(struct xarray *xa, unsigned long *index);

void radix_tree_init(void);

#endif
