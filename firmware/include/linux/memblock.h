/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory before there is a page allocator. */
#ifndef _LINUX_MEMBLOCK_H
#define _LINUX_MEMBLOCK_H

#include <linux/types.h>

void memblock_reserve(phys_addr_t start, phys_addr_t size);
void *memblock_alloc(size_t size, size_t align);
void memblock_free_all(void);

#endif
