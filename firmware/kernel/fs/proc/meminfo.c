/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/meminfo: what RAM is used for. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <emu/boot_params.h>

#include "internal.h"

struct page_counts {
	unsigned long	cached;
	unsigned long	slab;
};

/* One look at every page: nobody keeps these counts. */
static void count_pages(struct page_counts *c)
{
	for (unsigned long pfn = 0; pfn < max_pfn; pfn++) {
		const struct page *page = pfn_to_page(pfn);
		unsigned long flags = READ_ONCE(page->flags);

		if (flags & (1UL << PG_slab))
			c->slab += 1UL << page->order;
		else if (flags & (1UL << PG_uptodate))
			c->cached++;
	}
}

static void show_kb(struct seq_file *m, const char *name, unsigned long pages)
{
	seq_printf(m, "%-16s%8lu kB\n", name, pages << (PAGE_SHIFT - 10));
}

static int meminfo_proc_show(struct seq_file *m, void *v)
{
	struct page_counts c = {};
	unsigned long free = nr_free_pages();

	count_pages(&c);
	show_kb(m, "MemTotal:", boot_params.memory_size >> PAGE_SHIFT);
	show_kb(m, "MemFree:", free);
	show_kb(m, "MemAvailable:", free);
	show_kb(m, "Cached:", c.cached);
	show_kb(m, "SwapTotal:", 0);
	show_kb(m, "SwapFree:", 0);
	show_kb(m, "Slab:", c.slab);
	return 0;
}

static int __init proc_meminfo_init(void)
{
	proc_create_single("meminfo", 0, NULL, meminfo_proc_show);
	return 0;
}
fs_initcall(proc_meminfo_init);
