/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages and where RAM and the kernel are mapped. */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#define PAGE_SHIFT		13

/* The zero page and boot_params. */
#define BOARD_PAGES		2

/* The direct map's pages: 4 MiB. */
#define DIRECT_MAP_SHIFT	22

/* All of RAM; the image is used where it lies in it. */
#define PAGE_OFFSET		_AC(0xfffff80000000000, UL)
#define KERNEL_START		_AC(0xfffff80001000000, UL)
#define BOOT_CPU_OFFSET		0

/* The bits of PAGE_OFFSET: all from this one on. */
#define PAGE_OFFSET_SHIFT	43

#include <asm-generic/page.h>

#ifndef __ASSEMBLY__

#define __pa(virt)	((phys_addr_t)(unsigned long)(virt) - PAGE_OFFSET)

#endif
#endif
