/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory at boot: what is taken, and everything else to the page allocator. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "internal.h"

/* The zero page and its like, the image, the initramfs, and what we gave. */
#define MAX_REGIONS	64

struct region {
	phys_addr_t start;
	phys_addr_t end;
};

/* In order, neither overlapping nor touching. */
static struct region reserved[MAX_REGIONS];
static unsigned int nr_reserved;

static void insert_region(unsigned int at, phys_addr_t start, phys_addr_t end)
{
	if (nr_reserved == MAX_REGIONS)
		panic("memblock: more than %d regions", MAX_REGIONS);
	memmove(&reserved[at + 1], &reserved[at],
		(nr_reserved - at) * sizeof(reserved[0]));
	reserved[at] = (struct region){ start, end };
	nr_reserved++;
}

static void remove_region(unsigned int at)
{
	nr_reserved--;
	memmove(&reserved[at], &reserved[at + 1],
		(nr_reserved - at) * sizeof(reserved[0]));
}

void __init memblock_reserve(phys_addr_t start, phys_addr_t size)
{
	phys_addr_t end = PAGE_ALIGN(start + size);
	unsigned int i = 0;

	start &= PAGE_MASK;
	if (start == end)
		return;
	while (i < nr_reserved && reserved[i].end < start)
		i++;
	while (i < nr_reserved && reserved[i].start <= end) {
		start = min(start, reserved[i].start);
		end = max(end, reserved[i].end);
		remove_region(i);
	}
	insert_region(i, start, end);
}

/*
 * From the first gap above the image, never given back. It is zeroed already:
 * RAM is when the machine starts, and nothing has used this part since.
 */
void *__init memblock_alloc(size_t size, size_t align)
{
	phys_addr_t limit = (phys_addr_t)max_pfn << PAGE_SHIFT;
	phys_addr_t image = __pa(KERNEL_START);
	phys_addr_t next;
	unsigned int i;

	align = max_t(size_t, align, PAGE_SIZE);
	for (i = 0; i < nr_reserved; i++) {
		phys_addr_t start = ALIGN(reserved[i].end, align);

		next = i + 1 < nr_reserved ? reserved[i + 1].start : limit;
		if (reserved[i].end <= image || start + size > next)
			continue;
		memblock_reserve(start, size);
		return __va(start);
	}
	panic("memblock: no room for %zu bytes", size);
}

void __init memblock_free_all(void)
{
	phys_addr_t limit = (phys_addr_t)max_pfn << PAGE_SHIFT;
	unsigned int i;

	for (i = 0; i < nr_reserved; i++) {
		phys_addr_t end = i + 1 < nr_reserved ?
				  reserved[i + 1].start : limit;

		__free_pages_memory(reserved[i].end >> PAGE_SHIFT,
				    end >> PAGE_SHIFT);
	}
}
