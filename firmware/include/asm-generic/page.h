/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows from PAGE_SHIFT and PAGE_OFFSET; asm/page.h includes it. */
#ifndef _ASM_GENERIC_PAGE_H
#define _ASM_GENERIC_PAGE_H

#include <linux/const.h>

#define PAGE_SIZE		(_AC(1, UL) << PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))

#define THREAD_SIZE_ORDER	2
#define THREAD_SIZE		(PAGE_SIZE << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__

#include <linux/types.h>

#define __va(phys)	((void *)((unsigned long)(phys) + PAGE_OFFSET))

/* Unrolled copies; whole pages only. */
void clear_page(void *page);
void copy_page(void *to, const void *from);

#endif
#endif
