/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects smaller than a page. */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/types.h>
#include <linux/gfp.h>

struct kmem_cache;

#define SLAB_PANIC		0x40000u

#define KMALLOC_MAX_SIZE	(1UL << 22)

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, unsigned int flags,
				     void (*ctor)(void *));
void kmem_cache_destroy(struct kmem_cache *cache);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags);
void kmem_cache_free(struct kmem_cache *cache, void *object);

/* What a cache has: /proc/slabinfo. */
struct slabinfo {
	const char *name;
	unsigned long active_objs;
	unsigned long num_objs;
	unsigned long num_slabs;
	unsigned int objsize;
	unsigned int objects_per_slab;
	unsigned int cache_order;
};

void for_each_slabinfo(void (*show)(void *arg, const struct slabinfo *info),
		       void *arg);

void *__kmalloc(size_t size, gfp_t flags);
/* On behalf of who called the caller: events name that one. */
void *__kmalloc_track_caller(size_t size, gfp_t flags, unsigned long caller);
void kfree(const void *object);

#define KMEM_CACHE(type, flags)					\
	kmem_cache_create(#type, sizeof(struct type),		\
			  __alignof__(struct type), flags, NULL)
#define kmem_cache_zalloc(cache, flags) \
	kmem_cache_alloc(cache, (flags) | __GFP_ZERO)
#define kmalloc(size, flags)		__kmalloc(size, flags)
#define kmalloc_track_caller(size, flags) \
	__kmalloc_track_caller(size, flags, _RET_IP_)
#define kzalloc(size, flags)		__kmalloc(size, (flags) | __GFP_ZERO)
#define kmalloc_array(n, size, flags)	__kmalloc((n) * (size), flags)
#define kcalloc(n, size, flags)		kzalloc((n) * (size), flags)

#endif
