/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings of the devices' registers. */
#include <linux/export.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/tlbflush.h>
#include <asm/proto.h>

/* A mapping, and after it a page that is never present. */
struct io_area {
	struct list_head list;
	unsigned long addr;
	unsigned long size;
};

static LIST_HEAD(io_areas);	/* by address */
static DEFINE_MUTEX(io_areas_lock);

/* The first free addresses that are enough. */
static struct io_area *get_io_area(unsigned long size)
{
	struct io_area *area = kmalloc(sizeof(*area), GFP_KERNEL), *next;

	if (!area)
		return NULL;
	area->addr = IOREMAP_START;
	area->size = size;
	list_for_each_entry(next, &io_areas, list) {
		if (next->addr - area->addr > size)
			break;
		area->addr = next->addr + next->size + PAGE_SIZE;
	}
	if (IOREMAP_END - area->addr <= size) {
		kfree(area);
		return NULL;
	}
	list_add_tail(&area->list, &next->list);
	return area;
}

/* Accesses fault from here on. */
static void free_io_area(struct io_area *area)
{
	unsigned long end = area->addr + area->size, p;

	for (p = area->addr; p < end; p += PAGE_SIZE) {
		pte_t *pte = kernel_pte(p);

		if (pte)
			pte_clear(pte);
	}
	flush_tlb_kernel_range(area->addr, end);
	list_del(&area->list);
	kfree(area);
}

static bool map_io_area(struct io_area *area, phys_addr_t phys)
{
	unsigned long offset;

	for (offset = 0; offset < area->size; offset += PAGE_SIZE) {
		pte_t *pte = kernel_pte_alloc(area->addr + offset);

		if (!pte)
			return false;
		set_pte(pte, __pte((phys + offset) | pgprot_val(PAGE_KERNEL)));
	}
	return true;
}

static void __iomem *__ioremap_caller(resource_size_t phys_addr,
				      unsigned long size)
{
	resource_size_t last_addr = phys_addr + size - 1;
	unsigned long offset = phys_addr & ~PAGE_MASK;
	struct io_area *area;
	void __iomem *addr = NULL;

	if (!size || last_addr < phys_addr)
		return NULL;
	if (phys_addr >> PAGE_SHIFT < max_pfn) {
		pr_warn("ioremap on RAM at 0x%016llx - 0x%016llx\n", phys_addr,
			last_addr);
		return NULL;
	}
	if (phys_addr < IO_WINDOW_START ||
	    last_addr >= IO_WINDOW_START + IO_WINDOW_SIZE) {
		pr_warn("ioremap: invalid physical address %llx\n", phys_addr);
		return NULL;
	}

	mutex_lock(&io_areas_lock);
	area = get_io_area(ALIGN(offset + size, PAGE_SIZE));
	if (area && map_io_area(area, phys_addr - offset)) {
		addr = (void __iomem *)(area->addr + offset);
		mmiotrace_ioremap(phys_addr, size, addr);
	} else if (area) {
		free_io_area(area);
	}
	mutex_unlock(&io_areas_lock);
	return addr;
}

void __iomem *ioremap(resource_size_t phys_addr, unsigned long size)
{
	return __ioremap_caller(phys_addr, size);
}
EXPORT_SYMBOL(ioremap);

void iounmap(volatile void __iomem *addr)
{
	unsigned long start = (unsigned long)addr & PAGE_MASK;
	struct io_area *area;

	mutex_lock(&io_areas_lock);
	list_for_each_entry(area, &io_areas, list) {
		if (area->addr == start) {
			mmiotrace_iounmap(addr);
			free_io_area(area);
			mutex_unlock(&io_areas_lock);
			return;
		}
	}
	mutex_unlock(&io_areas_lock);
	pr_err("iounmap: bad address %016lx\n", (unsigned long)addr);
}
EXPORT_SYMBOL(iounmap);
