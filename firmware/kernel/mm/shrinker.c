/* SPDX-License-Identifier: GPL-2.0-only */
/* Who caches objects, and having them give some back. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/rwsem.h>
#include <linux/shrinker.h>
#include <trace/events/vmscan.h>

#define SHRINK_BATCH	128

static LIST_HEAD(shrinker_list);
static DECLARE_RWSEM(shrinker_rwsem);

void register_shrinker(struct shrinker *shrinker)
{
	shrinker->nr_deferred = 0;
	down_write(&shrinker_rwsem);
	list_add_tail(&shrinker->list, &shrinker_list);
	up_write(&shrinker_rwsem);
}

/* It is not called any more when this returns. */
void unregister_shrinker(struct shrinker *shrinker)
{
	down_write(&shrinker_rwsem);
	list_del(&shrinker->list);
	up_write(&shrinker_rwsem);
}

/* What is too little to be worth the effort adds up. */
static unsigned long do_shrink_slab(struct shrink_control *sc,
				    struct shrinker *shrinker, int priority)
{
	unsigned long freeable = shrinker->count_objects(shrinker, sc);
	unsigned long batch = shrinker->batch ? shrinker->batch : SHRINK_BATCH;
	unsigned long deferred, delta, total, freed = 0, ret;

	if (!freeable)
		return 0;
	deferred = READ_ONCE(shrinker->nr_deferred);
	delta = (freeable >> priority) * 4 / shrinker->seeks;
	total = min(deferred + delta, 2 * freeable);
	trace_mm_shrink_slab_start(shrinker, sc, deferred, freeable, delta,
				   total, priority);
	while (total >= batch || total >= freeable) {
		sc->nr_to_scan = min(batch, total);
		ret = shrinker->scan_objects(shrinker, sc);
		if (ret == SHRINK_STOP)
			break;
		freed += ret;
		total -= sc->nr_to_scan;
		if (!total)
			break;
	}
	WRITE_ONCE(shrinker->nr_deferred, total);
	trace_mm_shrink_slab_end(shrinker, freed, deferred, total, total);
	return freed;
}

/* May sleep. 0 if the list of shrinkers is being changed. */
unsigned long shrink_slab(gfp_t gfp, int priority)
{
	struct shrink_control sc = { .gfp_mask = gfp };
	struct shrinker *shrinker;
	unsigned long freed = 0;

	if (!down_read_trylock(&shrinker_rwsem))
		return 0;
	list_for_each_entry(shrinker, &shrinker_list, list)
		freed += do_shrink_slab(&sc, shrinker, priority);
	up_read(&shrinker_rwsem);
	return freed;
}

/* What goes lets others go: until there is little. */
void drop_slab(void)
{
	while (shrink_slab(GFP_KERNEL, 0) > 10)
		;
}
