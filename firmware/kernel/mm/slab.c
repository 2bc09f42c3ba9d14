/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of one size, cut from blocks of pages (slabs). Each CPU allocates
 * from a slab of its own; slabs with free objects that no CPU owns are listed.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "slab.h"

#define CREATE_TRACE_POINTS
#include <trace/events/kmem.h>

/* Empty slabs beyond this many partial ones are given back. */
#define MIN_PARTIAL	4

struct kmem_cache *kmalloc_caches[KMALLOC_SHIFT_HIGH + 1];

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
	if (!object && gfpflags_allow_blocking(gfp) &&
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
	void *object = slab_alloc(s, flags);

	if (trace_kmem_cache_alloc_enabled())
		trace_kmem_cache_alloc(_RET_IP_, object, s, flags,
				       NUMA_NO_NODE);
	return object;
}

/* All of it, so that the usual way has nothing to keep for later. */
static notrace void kmem_cache_free_traced(struct kmem_cache *s, void *object,
					   unsigned long caller)
{
	trace_kmem_cache_free(caller, object, s);
	slab_free(s, virt_to_slab(object), object);
}

void kmem_cache_free(struct kmem_cache *s, void *object)
{
	if (trace_kmem_cache_free_enabled())
		kmem_cache_free_traced(s, object, _RET_IP_);
	else
		slab_free(s, virt_to_slab(object), object);
}

static struct kmem_cache *kmalloc_slab(size_t size)
{
	unsigned int shift = size > 1 ? fls64(size - 1) : 0;

	return kmalloc_caches[max_t(unsigned int, shift, KMALLOC_SHIFT_LOW)];
}

static void *kmalloc_large(size_t size, gfp_t flags, unsigned long caller)
{
	unsigned int order = fls64(size - 1) - PAGE_SHIFT;
	void *object = (void *)__get_free_pages(flags, order);

	trace_kmalloc(caller, object, size, PAGE_SIZE << order, flags,
		      NUMA_NO_NODE);
	return object;
}

static __always_inline void *__do_kmalloc(size_t size, gfp_t flags,
					  unsigned long caller)
{
	struct kmem_cache *s;
	void *object;

	if (size > KMALLOC_MAX_SIZE)
		return NULL;
	if (size > 1UL << KMALLOC_SHIFT_HIGH)
		return kmalloc_large(size, flags, caller);
	s = kmalloc_slab(size);
	object = slab_alloc(s, flags);
	if (trace_kmalloc_enabled())
		trace_kmalloc(caller, object, size, s->size, flags,
			      NUMA_NO_NODE);
	return object;
}

void *__kmalloc(size_t size, gfp_t flags)
{
	return __do_kmalloc(size, flags, _RET_IP_);
}

void *__kmalloc_track_caller(size_t size, gfp_t flags, unsigned long caller)
{
	return __do_kmalloc(size, flags, caller);
}

void kfree(const void *object)
{
	struct page *slab;

	trace_kfree(_RET_IP_, object);
	if (!object)
		return;
	slab = virt_to_slab(object);
	if (slab)
		slab_free(slab->slab_cache, slab, (void *)object);
	else
		put_page(virt_to_page(object));
}

/*
 * The slab is this CPU's no more; what is free in it goes back to it. With
 * interrupts off.
 */
static void flush_slab(struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	struct page *slab = c->slab;
	void *object = c->freelist;
	bool empty;

	spin_lock(&s->list_lock);
	while (object) {
		void *next = *next_free(s, object);

		*next_free(s, object) = slab->freelist;
		slab->freelist = object;
		slab->inuse--;
		object = next;
	}
	__clear_bit(PG_frozen, &slab->flags);
	empty = !slab->inuse;
	if (!empty && slab->freelist) {
		list_add_tail(&slab->lru, &s->partial);
		s->nr_partial++;
	}
	spin_unlock(&s->list_lock);
	c->slab = NULL;
	c->freelist = NULL;
	if (empty)
		free_slab(s, slab);
}

/* Only the CPU itself may touch its slabs. */
struct slub_flush_work {
	struct work_struct work;
	struct kmem_cache *s;
};

static DEFINE_PER_CPU(struct slub_flush_work, slub_flush);
static DEFINE_MUTEX(flush_lock);

static void flush_cpu_slab(struct work_struct *w)
{
	struct kmem_cache *s = container_of(w, struct slub_flush_work, work)->s;
	struct kmem_cache_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = &s->cpu_slab[smp_processor_id()];
	if (c->slab)
		flush_slab(s, c);
	local_irq_restore(flags);
}

static void flush_all_cpus_locked(struct kmem_cache *s)
{
	struct slub_flush_work *sfw;
	int cpu;

	mutex_lock(&flush_lock);
	for_each_online_cpu(cpu) {
		sfw = &per_cpu(slub_flush, cpu);
		sfw->s = NULL;
		if (!s->cpu_slab[cpu].slab)
			continue;
		INIT_WORK(&sfw->work, flush_cpu_slab);
		sfw->s = s;
		queue_work_on(cpu, system_wq, &sfw->work);
	}
	for_each_online_cpu(cpu) {
		sfw = &per_cpu(slub_flush, cpu);
		if (sfw->s)
			flush_work(&sfw->work);
	}
	mutex_unlock(&flush_lock);
}

/* Empty slabs go; those that have objects stay listed. */
static void free_partial(struct kmem_cache *s)
{
	struct page *slab, *next;
	LIST_HEAD(discard);

	spin_lock_irq(&s->list_lock);
	list_for_each_entry_safe(slab, next, &s->partial, lru)
		if (!slab->inuse) {
			list_del(&slab->lru);
			list_add(&slab->lru, &discard);
			s->nr_partial--;
		}
	spin_unlock_irq(&s->list_lock);
	list_for_each_entry_safe(slab, next, &discard, lru)
		free_slab(s, slab);
}

/*
 * Nobody uses the cache any more; gives back its slabs. Sleeps. False if
 * objects are left.
 */
bool __kmem_cache_shutdown(struct kmem_cache *s)
{
	flush_all_cpus_locked(s);
	free_partial(s);
	return !atomic_read(&s->nr_slabs);
}
