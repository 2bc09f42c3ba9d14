/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages and where RAM and the kernel are mapped. */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#ifdef __ASSEMBLY__
#define _AC(x, suffix)		x
#else
#define __AC(x, suffix)		(x##suffix)
#define _AC(x, suffix)		__AC(x, suffix)
#endif

#define PAGE_SHIFT		13
#define PAGE_SIZE		(_AC(1, UL) << PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))

/* The direct map's pages: 4 MiB. */
#define DIRECT_MAP_SHIFT	22

/* All of RAM; the image is used where it lies in it. */
#define PAGE_OFFSET		_AC(0xfffff80000000000, UL)
#define KERNEL_START		_AC(0xfffff80001000000, UL)

/* The bits of PAGE_OFFSET: all from this one on. */
#define PAGE_OFFSET_SHIFT	43

#define THREAD_SIZE_ORDER	2
#define THREAD_SIZE		(PAGE_SIZE << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__

#include <linux/types.h>

#define __va(phys)	((void *)((unsigned long)(phys) + PAGE_OFFSET))
#define __pa(virt)	((phys_addr_t)(unsigned long)(virt) - PAGE_OFFSET)

/* Unrolled copies; whole pages only. */
void clear_page(void *page);
void copy_page(void *to, const void *from);

#endif
#endif
