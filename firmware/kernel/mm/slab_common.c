/* SPDX-License-Identifier: GPL-2.0-only */
/* The caches there are: how they are made, what they have, how they go. */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include "slab.h"

static LIST_HEAD(slab_caches);
static DEFINE_SPINLOCK(slab_caches_lock);
static struct kmem_cache *kmem_cache;	/* for caches themselves */

/* The order at which at most an eighth of a slab is waste. */
static unsigned int calculate_order(unsigned int size)
{
	unsigned int order = 0;

	while (order < 3 && ((PAGE_SIZE << order) < size * 8 ||
			     (PAGE_SIZE << order) % size >
			     (PAGE_SIZE << order) / 8))
		order++;
	return order;
}

static void init_cache(struct kmem_cache *s, const char *name,
		       unsigned int size, unsigned int align,
		       void (*ctor)(void *))
{
	align = max_t(unsigned int, align, sizeof(void *));
	s->name = name;
	s->object_size = size;
	s->offset = ctor ? ALIGN(size, sizeof(void *)) : 0;
	s->size = ALIGN(max_t(unsigned int, size, s->offset + sizeof(void *)),
			align);
	s->order = calculate_order(s->size);
	s->objects = (PAGE_SIZE << s->order) / s->size;
	s->ctor = ctor;
	spin_lock_init(&s->list_lock);
	INIT_LIST_HEAD(&s->partial);
	spin_lock(&slab_caches_lock);
	list_add_tail(&s->list, &slab_caches);
	spin_unlock(&slab_caches_lock);
}

/*
 * Calls @show with what each cache has; it must not sleep. Exact if nobody
 * allocates or frees meanwhile.
 */
void for_each_slabinfo(void (*show)(void *arg, const struct slabinfo *info),
		       void *arg)
{
	struct slabinfo info;
	struct kmem_cache *s;
	int cpu;

	spin_lock(&slab_caches_lock);
	list_for_each_entry(s, &slab_caches, list) {
		info = (struct slabinfo){
			.name = s->name,
			.num_slabs = atomic_read(&s->nr_slabs),
			.objsize = s->size,
			.objects_per_slab = s->objects,
			.cache_order = s->order,
		};
		for_each_possible_cpu(cpu)
			info.active_objs += READ_ONCE(s->cpu_slab[cpu].nr_active);
		info.num_objs = info.num_slabs * s->objects;
		show(arg, &info);
	}
	spin_unlock(&slab_caches_lock);
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, unsigned int flags,
				     void (*ctor)(void *))
{
	struct kmem_cache *s = kmem_cache_zalloc(kmem_cache, GFP_KERNEL);

	if (s)
		init_cache(s, name, size, align, ctor);
	else if (flags & SLAB_PANIC)
		panic("%s: no memory for this cache", name);
	return s;
}

/*
 * After the last object has been freed, rcu_barrier() included. A cache that
 * still has some stays. Sleeps.
 */
void kmem_cache_destroy(struct kmem_cache *s)
{
	bool empty;

	if (!s)
		return;
	cpus_read_lock();
	empty = __kmem_cache_shutdown(s);
	cpus_read_unlock();
	if (!empty) {
		pr_err("%s %s: Slab cache still has objects\n", __func__,
		       s->name);
		WARN_ON(true);
		s->name = "leaked";	/* its own goes with its module */
		return;
	}
	spin_lock(&slab_caches_lock);
	list_del(&s->list);
	spin_unlock(&slab_caches_lock);
	kmem_cache_free(kmem_cache, s);
}

/* The cache of caches describes itself; it comes from a page of its own. */
void __init kmem_cache_init(void)
{
	static const char *const names[KMALLOC_SHIFT_HIGH + 1] = {
		[4] = "kmalloc-16", [5] = "kmalloc-32", [6] = "kmalloc-64",
		[7] = "kmalloc-128", [8] = "kmalloc-256", [9] = "kmalloc-512",
		[10] = "kmalloc-1k", [11] = "kmalloc-2k", [12] = "kmalloc-4k",
		[13] = "kmalloc-8k",
	};
	size_t size = sizeof(struct kmem_cache) +
		      nr_cpu_ids * sizeof(struct kmem_cache_cpu);
	unsigned int shift;

	BUILD_BUG_ON(sizeof(struct kmem_cache) + NR_CPUS *
		     sizeof(struct kmem_cache_cpu) > PAGE_SIZE);
	kmem_cache = (struct kmem_cache *)get_zeroed_page(GFP_KERNEL);
	init_cache(kmem_cache, "kmem_cache", size, 64, NULL);
	for (shift = KMALLOC_SHIFT_LOW; shift <= KMALLOC_SHIFT_HIGH; shift++)
		kmalloc_caches[shift] =
			kmem_cache_create(names[shift], 1u << shift,
					  min(1u << shift, 64u), SLAB_PANIC,
					  NULL);
}
