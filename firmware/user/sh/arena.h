/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is freed all at once, back to a mark. */
#ifndef SH_ARENA_H
#define SH_ARENA_H

#include <stddef.h>

struct chunk;

struct arena {
	struct chunk *top;
	size_t total;		/* in all chunks before the top one */
	size_t floor;		/* what lies below is kept for ever */
};

void *arena_alloc(struct arena *arena, size_t size);
/* A bigger block that begins with what is used of the old one. */
void *arena_grow(struct arena *arena, const void *old, size_t used,
		 size_t size);
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* What was allocated after a mark goes when it is released. */
size_t arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, size_t mark);
/* Keeps everything that is in the arena now. */
void arena_keep(struct arena *arena);

#endif
