/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory management's start. */
#include <linux/init.h>
#include "internal.h"

void __init mm_init(void)
{
	page_alloc_init();
	kmem_cache_init();
	mm_cache_init();
	mmap_init();
}
