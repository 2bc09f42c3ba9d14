/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/meminfo and /proc/slabinfo: where memory is. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/sysinfo.h>
#include <linux/writeback.h>

#include "internal.h"

static void show_val_kb(struct seq_file *m, const char *name, unsigned long pages)
{
	seq_printf(m, "%s%8lu kB\n", name, pages << (PAGE_SHIFT - 10));
}

static void add_slab_pages(void *arg, const struct slabinfo *info)
{
	*(unsigned long *)arg += info->num_slabs << info->cache_order;
}

/* One look at every page: nobody keeps this count. */
static unsigned long count_cached(void)
{
	unsigned long pfn, cached = 0;

	for (pfn = 0; pfn < max_pfn; pfn++) {
		unsigned long flags = READ_ONCE(pfn_to_page(pfn)->flags);

		if (!(flags & (1UL << PG_slab)) && flags & (1UL << PG_uptodate))
			cached++;
	}
	return cached;
}

static int meminfo_proc_show(struct seq_file *m, void *v)
{
	unsigned long slab = 0;

	for_each_slabinfo(add_slab_pages, &slab);
	show_val_kb(m, "MemTotal:       ", totalram_pages());
	show_val_kb(m, "MemFree:        ", nr_free_pages());
	show_val_kb(m, "MemAvailable:   ", nr_free_pages() + nr_clean_pages());
	show_val_kb(m, "Cached:         ", count_cached());
	show_val_kb(m, "SwapTotal:      ", 0);
	show_val_kb(m, "SwapFree:       ", 0);
	show_val_kb(m, "Dirty:          ", nr_dirty_pages());
	show_val_kb(m, "Writeback:      ", nr_writeback_pages());
	show_val_kb(m, "Slab:           ", slab);
	return 0;
}

struct slab_line {
	struct slabinfo info;
	char name[32];
};

/* The caches are copied first: text is made where it may sleep. */
struct slab_lines {
	unsigned int nr;
	struct slab_line line[100];
};

static void take_slabinfo(void *arg, const struct slabinfo *info)
{
	struct slab_lines *lines = arg;
	struct slab_line *line = &lines->line[lines->nr];

	if (lines->nr == ARRAY_SIZE(lines->line))
		return;
	lines->nr++;
	line->info = *info;
	strscpy(line->name, info->name, sizeof(line->name));
}

static int slabinfo_proc_show(struct seq_file *m, void *v)
{
	struct slab_lines *lines = kzalloc(sizeof(*lines), GFP_KERNEL);
	unsigned int i;

	if (!lines)
		return -ENOMEM;
	for_each_slabinfo(take_slabinfo, lines);
	seq_puts(m, "slabinfo - version: 2.1\n"
		 "# name            <active_objs> <num_objs> <objsize> "
		 "<objperslab> <pagesperslab> : tunables <limit> <batchcount> "
		 "<sharedfactor> : slabdata <active_slabs> <num_slabs> "
		 "<sharedavail>\n");
	for (i = 0; i < lines->nr; i++) {
		const struct slabinfo *info = &lines->line[i].info;

		seq_printf(m, "%-17s %6lu %6lu %6u %4u %4d"
			   " : tunables %4u %4u %4u"
			   " : slabdata %6lu %6lu %6lu\n",
			   lines->line[i].name, info->active_objs,
			   info->num_objs, info->objsize,
			   info->objects_per_slab, 1 << info->cache_order,
			   0, 0, 0, info->num_slabs, info->num_slabs, 0UL);
	}
	kfree(lines);
	return 0;
}

static int __init proc_meminfo_init(void)
{
	proc_create_single("meminfo", 0, NULL, meminfo_proc_show);
	proc_create_single("slabinfo", 0400, NULL, slabinfo_proc_show);
	return 0;
}
fs_initcall(proc_meminfo_init);
