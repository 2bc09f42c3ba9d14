/* SPDX-License-Identifier: GPL-2.0-only */
/* Caches of objects that can be given back when memory is short. */
#ifndef _LINUX_SHRINKER_H
#define _LINUX_SHRINKER_H

#include <linux/list.h>
#include <linux/types.h>

struct shrink_control {
	gfp_t gfp_mask;			/* what the allocation allows */
	unsigned long nr_to_scan;
};

/* Nothing can be done now. */
#define SHRINK_STOP	(~0UL)

/* @seeks: what it costs to have an object again; 2 is usual. */
#define DEFAULT_SEEKS	2

struct shrinker {
	/* How many objects could go. */
	unsigned long (*count_objects)(struct shrinker *s,
				       struct shrink_control *sc);
	/* Looks at nr_to_scan of them: how many went, or SHRINK_STOP. */
	unsigned long (*scan_objects)(struct shrinker *s,
				      struct shrink_control *sc);
	int seeks;
	long batch;			/* 0: as many at a time as usual */
	struct list_head list;
	unsigned long nr_deferred;	/* left over by earlier rounds */
};

void register_shrinker(struct shrinker *shrinker);
void unregister_shrinker(struct shrinker *shrinker);

/* A 2^priority-th part of each cache; how many objects went. */
unsigned long shrink_slab(gfp_t gfp, int priority);
/* All that nobody uses: drop_caches. */
void drop_slab(void);

#endif
