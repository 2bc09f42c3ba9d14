/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules: their memory and their relocations. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tlbflush.h>
#include <asm/proto.h>

/* System V ABI, AMD64 supplement, 4.4.1. */
#define R_X86_64_NONE	0
#define R_X86_64_64	1
#define R_X86_64_PC32	2
#define R_X86_64_PLT32	4
#define R_X86_64_32	10
#define R_X86_64_32S	11
#define R_X86_64_PC64	24

/* What a kernel call reaches, but for the addresses that errors have. */
#define MODULES_REACH	((2UL << 30) - (16UL << 20))

void __fentry__(void);
EXPORT_SYMBOL(__fentry__);

static DEFINE_MUTEX(module_map_lock);

/*
 * Modules live in the kernel's own mapping of RAM, like the image: each page
 * at a fixed distance from its physical address.
 */
static void *module_map(struct page *page, unsigned int pages)
{
	phys_addr_t phys = page_to_phys(page);
	char *base = (char *)__START_KERNEL_map + phys;
	unsigned int i;

	mutex_lock(&module_map_lock);
	for (i = 0; i < pages; i++) {
		pte_t *pte = kernel_pte_alloc((unsigned long)base +
					      i * PAGE_SIZE);

		if (!pte)
			break;
		set_pte(pte, mk_pte(page + i, PAGE_KERNEL));
	}
	mutex_unlock(&module_map_lock);
	if (i == pages)
		return base;
	while (i--)
		pte_clear(kernel_pte((unsigned long)base + i * PAGE_SIZE));
	return NULL;
}

void *module_alloc(unsigned long size)
{
	struct page *page = module_alloc_pages(size, MODULES_REACH);
	void *base;

	if (!page)
		return NULL;
	base = module_map(page, 1u << page->order);
	if (!base)
		__free_pages(page, page->order);
	return base;
}

void module_memfree(void *base)
{
	unsigned long addr = (unsigned long)base, end;
	struct page *page;

	if (!base)
		return;
	page = virt_to_page(base);
	end = addr + (PAGE_SIZE << page->order);
	for (; addr < end; addr += PAGE_SIZE)
		pte_clear(kernel_pte(addr));
	flush_tlb_kernel_range((unsigned long)base, end);
	__free_pages(page, page->order);
}

int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend)
{
	u64 value = sym + addend;
	unsigned int size = 4;
	bool fits = true;

	switch (type) {
	case R_X86_64_NONE:
		return 0;
	case R_X86_64_64:
		size = 8;
		break;
	case R_X86_64_32:
		fits = value == (u32)value;
		break;
	case R_X86_64_32S:
		fits = (s64)value == (s32)value;
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= (unsigned long)place;
		fits = (s64)value == (s32)value;
		break;
	case R_X86_64_PC64:
		value -= (unsigned long)place;
		size = 8;
		break;
	default:
		pr_err("module %s: unknown relocation %u\n", mod->name, type);
		return -ENOEXEC;
	}
	if (room < size)
		return -ENOEXEC;
	if (!fits) {
		pr_err("module %s: overflow in relocation type %u val %lx\n",
		       mod->name, type, sym);
		return -ENOEXEC;
	}
	memcpy(place, &value, size);
	return 0;
}
