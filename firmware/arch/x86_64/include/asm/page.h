/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages and where RAM and the kernel are mapped. */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#define PAGE_SHIFT		12

/* The zero page, boot_params and the reset GDT. */
#define BOARD_PAGES		3

/* The direct map's pages: 2 MiB. */
#define DIRECT_MAP_SHIFT	21

#define PAGE_OFFSET		_AC(0xffff888000000000, UL)
#define __START_KERNEL_map	_AC(0xffffffff80000000, UL)
#define KERNEL_START		_AC(0xffffffff81000000, UL)

/* The image's per-CPU area is used through the direct map, as all others are. */
#define BOOT_CPU_OFFSET		(PAGE_OFFSET - __START_KERNEL_map)

#include <asm-generic/page.h>

#ifndef __ASSEMBLY__

#define __pa(virt)	__phys_addr((unsigned long)(virt))

static inline phys_addr_t __phys_addr(unsigned long virt)
{
	return virt >= __START_KERNEL_map ? virt - __START_KERNEL_map :
					    virt - PAGE_OFFSET;
}

#endif
#endif
