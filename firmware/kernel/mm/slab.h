/* SPDX-License-Identifier: GPL-2.0-only */
/* What allocating objects and the list of caches share. */
#ifndef _MM_SLAB_H
#define _MM_SLAB_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "internal.h"

#define KMALLOC_SHIFT_LOW	4
#define KMALLOC_SHIFT_HIGH	13	/* above 8 KiB: whole pages */

struct kmem_cache_cpu {
	void *freelist;			/* of slab; each points to the next */
	struct page *slab;
	long nr_active;			/* allocated here less freed here */
};

struct kmem_cache {
	const char *name;
	unsigned int object_size;
	unsigned int size;		/* with alignment */
	unsigned int order;		/* pages in a slab */
	unsigned int objects;		/* in a slab */
	unsigned int offset;		/* of a free object's pointer */
	void (*ctor)(void *);
	spinlock_t list_lock;
	struct list_head partial;
	unsigned int nr_partial;
	atomic_t nr_slabs;
	struct list_head list;		/* in slab_caches */
	struct kmem_cache_cpu cpu_slab[];
};

/* slab.c */
extern struct kmem_cache *kmalloc_caches[KMALLOC_SHIFT_HIGH + 1];

bool __kmem_cache_shutdown(struct kmem_cache *s);

#endif
