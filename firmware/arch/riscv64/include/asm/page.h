/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages and where RAM and the kernel are mapped. */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#define PAGE_SHIFT		12

/* Where a full kernel stack is reported. */
#define OVERFLOW_STACK_SIZE	4096

/* The zero page and boot_params. */
#define BOARD_PAGES		2

/* The direct map's pages: 2 MiB. */
#define DIRECT_MAP_SHIFT	21

/* All of RAM; the image is used where it lies in it. */
#define PAGE_OFFSET		_AC(0xffffffc000000000, UL)
#define KERNEL_START		_AC(0xffffffc001000000, UL)
#define BOOT_CPU_OFFSET		0

#include <asm-generic/page.h>

#ifndef __ASSEMBLY__

#define __pa(virt)	((phys_addr_t)(unsigned long)(virt) - PAGE_OFFSET)

#endif
#endif
