/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory from brk(), in blocks of powers of two. A freed block waits in its
 * size's list for the next block of that size; nothing is split or merged,
 * which suits programs that live for milliseconds.
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <syscall.h>

#define MIN_ORDER	5
#define MAX_ORDER	40
#define GROWTH		(16 * 1024UL)

/* Before each block; as long as the alignment of what follows. */
union header {
	struct {
		unsigned int order;
		union header *next;
	};
	char align[16];
};

static union header *free_lists[MAX_ORDER + 1];
static char *heap_at, *heap_end;

static void *more(size_t size)
{
	char *block;

	if (!heap_end) {
		char *now = (char *)arch_syscall(SYS_brk, 0, 0, 0, 0);

		/* The break is where the program's data ended: align it. */
		heap_at = now + (-(uintptr_t)now & 15);
		heap_end = now;
	}
	if (heap_end < heap_at || size > (size_t)(heap_end - heap_at)) {
		size_t by = (size + GROWTH) & ~(GROWTH - 1);
		char *want = heap_end + by;

		if ((char *)arch_syscall(SYS_brk, (long)want, 0, 0, 0) != want)
			return NULL;
		heap_end = want;
	}
	block = heap_at;
	heap_at += size;
	return block;
}

void *malloc(size_t size)
{
	unsigned int order = MIN_ORDER;
	union header *block;

	if (size > (1UL << MAX_ORDER) - sizeof(*block))
		return NULL;
	while ((1UL << order) < size + sizeof(*block))
		order++;
	block = free_lists[order];
	if (block) {
		free_lists[order] = block->next;
		return block + 1;
	}
	block = more(1UL << order);
	if (!block)
		return NULL;
	block->order = order;
	return block + 1;
}

void free(void *memory)
{
	union header *block = (union header *)memory - 1;

	if (!memory)
		return;
	block->next = free_lists[block->order];
	free_lists[block->order] = block;
}

void *realloc(void *memory, size_t size)
{
	union header *block = (union header *)memory - 1;
	size_t old;
	void *copy;

	if (!memory)
		return malloc(size);
	old = (1UL << block->order) - sizeof(*block);
	if (size <= old)
		return memory;
	copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, memory, old);
	free(memory);
	return copy;
}

void *calloc(size_t count, size_t size)
{
	void *memory;
	size_t all;

	if (__builtin_mul_overflow(count, size, &all))
		return NULL;
	memory = malloc(all);
	return memory ? memset(memory, 0, all) : NULL;
}

static void *checked(void *memory)
{
	if (!memory)
		errx(2, "out of memory");
	return memory;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size));
}

void *xrealloc(void *block, size_t size)
{
	return checked(realloc(block, size));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}
