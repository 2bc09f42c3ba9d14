/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is freed all at once, back to a mark. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define CHUNK_SIZE	4000
#define ALIGNMENT	16UL

struct chunk {
	struct chunk *below;
	size_t size;
	size_t used;
	char bytes[] __attribute__((aligned(16)));
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct chunk *top = arena->top;
	void *memory;

	size = (size + ALIGNMENT - 1) & -ALIGNMENT;
	if (!top || size > top->size - top->used) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		struct chunk *chunk = xmalloc(sizeof(*chunk) + room);

		chunk->below = top;
		chunk->size = room;
		chunk->used = 0;
		arena->total += top ? top->used : 0;
		arena->top = top = chunk;
	}
	memory = top->bytes + top->used;
	top->used += size;
	return memory;
}

void *arena_grow(struct arena *arena, const void *old, size_t used,
		 size_t size)
{
	void *memory = arena_alloc(arena, size);

	/* With nothing used, there may be no old block. */
	if (used > 0)
		memcpy(memory, old, used);
	return memory;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

size_t arena_mark(const struct arena *arena)
{
	return arena->total + (arena->top ? arena->top->used : 0);
}

void arena_release(struct arena *arena, size_t mark)
{
	if (mark < arena->floor)
		mark = arena->floor;
	while (arena->top && arena->total >= mark && arena->top->below) {
		struct chunk *below = arena->top->below;

		free(arena->top);
		arena->top = below;
		arena->total -= below->used;
	}
	if (arena->top)
		arena->top->used = mark - arena->total;
}

void arena_keep(struct arena *arena)
{
	arena->floor = arena_mark(arena);
}
