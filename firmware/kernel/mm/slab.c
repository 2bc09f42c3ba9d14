/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of one size, cut from blocks of pages (slabs). Each CPU allocates
 * from a slab of its own; slabs with free objects that no CPU owns are listed.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "internal.h"

/* Empty slabs beyond this many partial ones are given back. */
#define MIN_PARTIAL	4

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

static LIST_HEAD(slab_caches);
static DEFINE_SPINLOCK(slab_caches_lock);
static struct kmem_cache *kmem_cache;	/* for caches themselves */
static struct kmem_cache *kmalloc_caches[KMALLOC_SHIFT_HIGH + 1];

static inline void **next_free(struct kmem_cache *s, void *object)
{
	return object + s->offset;
}

/* NULL: not a slab's, but a block of pages on its own. */
static inline struct page *virt_to_slab(const void *object)
{
	struct page *page = virt_to_page(object);

	return PageSlab(page) ? page : page->compound_head;
}

static struct page *allocate_slab(struct kmem_cache *s, gfp_t flags)
{
	/* Interrupts are off; whether this may sleep was asked before. */
	struct page *slab = __alloc_pages(flags & ~__GFP_ZERO, s->order);
	unsigned int i;
	char *object;

	if (!slab)
		return NULL;
	for (i = 1; i < 1u << s->order; i++) {
		slab[i].flags = 0;
		slab[i].compound_head = slab;
	}
	__set_bit(PG_slab, &slab->flags);
	slab->slab_cache = s;
	slab->inuse = 0;
	slab->freelist = NULL;
	INIT_LIST_HEAD(&slab->lru);
	atomic_inc(&s->nr_slabs);
	for (i = s->objects; i-- > 0;) {
		object = page_address(slab) + i * s->size;
		if (s->ctor)
			s->ctor(object);
		*next_free(s, object) = slab->freelist;
		slab->freelist = object;
	}
	return slab;
}

static void free_slab(struct kmem_cache *s, struct page *slab)
{
	unsigned int i;

	for (i = 1; i < 1u << s->order; i++)
		slab[i].compound_head = NULL;
	slab->mapping = NULL;
	atomic_dec(&s->nr_slabs);
	__free_pages(slab, s->order);
}

/* A listed slab with free objects, now nobody's; NULL if there is none. */
static struct page *get_partial(struct kmem_cache *s)
{
	struct page *slab;

	if (!s->nr_partial)
		return NULL;
	spin_lock(&s->list_lock);
	slab = list_first_entry_or_null(&s->partial, struct page, lru);
	if (slab) {
		list_del_init(&slab->lru);
		s->nr_partial--;
	}
	spin_unlock(&s->list_lock);
	return slab;
}

/*
 * The CPU's objects have run out. What others have freed into its slab comes
 * first; else another slab is taken, whole. With interrupts off.
 */
static void *___slab_alloc(struct kmem_cache *s, gfp_t flags,
			   struct kmem_cache_cpu *c)
{
	struct page *slab = c->slab;
	void *object = NULL;

	if (!slab) {
		slab = get_partial(s);
		if (!slab)
			slab = allocate_slab(s, flags);
		if (!slab)
			return NULL;
	}
	spin_lock(&s->list_lock);
	object = slab->freelist;
	slab->freelist = NULL;
	slab->inuse = s->objects;
	if (object)
		__set_bit(PG_frozen, &slab->flags);
	else
		__clear_bit(PG_frozen, &slab->flags);
	spin_unlock(&s->list_lock);

	c->slab = object ? slab : NULL;
	if (!object)
		return ___slab_alloc(s, flags, c);
	c->freelist = *next_free(s, object);
	return object;
}

/*
 * With interrupts off no memory could be reclaimed: now it is, for a slab that
 * whoever comes first takes.
 */
static bool refill_partial(struct kmem_cache *s, gfp_t gfp)
{
	struct page *slab = allocate_slab(s, gfp);
	unsigned long flags;

	if (!slab)
		return false;
	spin_lock_irqsave(&s->list_lock, flags);
	list_add(&slab->lru, &s->partial);
	s->nr_partial++;
	spin_unlock_irqrestore(&s->list_lock, flags);
	return true;
}

/* In any context but NMI; sleeps only if @gfp allows it. */
static __always_inline void *slab_alloc(struct kmem_cache *s, gfp_t gfp)
{
	struct kmem_cache_cpu *c;
	unsigned long flags;
	void *object;

	might_sleep_if(gfpflags_allow_blocking(gfp));
again:
	local_irq_save(flags);
	c = &s->cpu_slab[smp_processor_id()];
	object = c->freelist;
	if (likely(object))
		c->freelist = *next_free(s, object);
	else
		object = ___slab_alloc(s, gfp, c);
	c->nr_active += object != NULL;
	local_irq_restore(flags);
	if (unlikely(!object) && gfpflags_allow_blocking(gfp) &&
	    refill_partial(s, gfp))
		goto again;

	if (object && gfp & __GFP_ZERO)
		memset(object, 0, s->object_size);
	return object;
}

/* Into a slab that is not this CPU's. With interrupts off. */
static void __slab_free(struct kmem_cache *s, struct page *slab, void *object)
{
	bool was_full, empty;

	spin_lock(&s->list_lock);
	was_full = !slab->freelist;
	*next_free(s, object) = slab->freelist;
	slab->freelist = object;
	slab->inuse--;
	empty = false;
	if (!test_bit(PG_frozen, &slab->flags)) {
		if (was_full) {
			list_add_tail(&slab->lru, &s->partial);
			s->nr_partial++;
		}
		empty = !slab->inuse && s->nr_partial > MIN_PARTIAL;
		if (empty) {
			list_del(&slab->lru);
			s->nr_partial--;
		}
	}
	spin_unlock(&s->list_lock);
	if (empty)
		free_slab(s, slab);
}

/* In any context but NMI. */
static __always_inline void slab_free(struct kmem_cache *s, struct page *slab,
				      void *object)
{
	struct kmem_cache_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = &s->cpu_slab[smp_processor_id()];
	c->nr_active--;
	if (likely(slab == c->slab)) {
		*next_free(s, object) = c->freelist;
		c->freelist = object;
	} else {
		__slab_free(s, slab, object);
	}
	local_irq_restore(flags);
}

void *kmem_cache_alloc(struct kmem_cache *s, gfp_t flags)
{
	return slab_alloc(s, flags);
}

void kmem_cache_free(struct kmem_cache *s, void *object)
{
	slab_free(s, virt_to_slab(object), object);
}

static struct kmem_cache *kmalloc_slab(size_t size)
{
	unsigned int shift = size > 1 ? fls64(size - 1) : 0;

	return kmalloc_caches[max_t(unsigned int, shift, KMALLOC_SHIFT_LOW)];
}

static void *kmalloc_large(size_t size, gfp_t flags)
{
	unsigned int shift = fls64(size - 1);

	return (void *)__get_free_pages(flags, shift - PAGE_SHIFT);
}

void *__kmalloc(size_t size, gfp_t flags)
{
	if (size > 1UL << KMALLOC_SHIFT_HIGH)
		return size <= KMALLOC_MAX_SIZE ? kmalloc_large(size, flags) :
						  NULL;
	return slab_alloc(kmalloc_slab(size), flags);
}

void kfree(const void *object)
{
	struct page *slab;

	if (!object)
		return;
	slab = virt_to_slab(object);
	if (slab)
		slab_free(slab->slab_cache, slab, (void *)object);
	else
		put_page(virt_to_page(object));
}

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
