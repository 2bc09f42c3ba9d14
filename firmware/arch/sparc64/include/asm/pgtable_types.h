/* SPDX-License-Identifier: GPL-2.0-only */
/* Page table entries: what the TLB takes, with bits for software. */
#ifndef _ASM_PGTABLE_TYPES_H
#define _ASM_PGTABLE_TYPES_H

#include <asm/page.h>

#define _PAGE_VALID	(_AC(1, UL) << 63)
#define _PAGE_SZ4MB	(_AC(3, UL) << 61)
#define _PAGE_EXEC	(_AC(1, UL) << 10)	/* software, from here ... */
#define _PAGE_SPECIAL	(_AC(1, UL) << 9)	/* not reference counted */
#define _PAGE_MODIFIED	(_AC(1, UL) << 8)
#define _PAGE_ACCESSED	(_AC(1, UL) << 7)	/* ... to here */
#define _PAGE_CACHE	(_AC(3, UL) << 4)	/* CP and CV */
#define _PAGE_P		(_AC(1, UL) << 2)	/* privileged */
#define _PAGE_W		(_AC(1, UL) << 1)
#define _PAGE_G		(_AC(1, UL) << 0)	/* in every context */

#define PTE_PFN_MASK	_AC(0x000001ffffffe000, UL)

/* Any part of RAM, as the kernel has it. */
#define _PAGE_KERNEL \
	(_PAGE_VALID | _PAGE_CACHE | _PAGE_P | _PAGE_W | _PAGE_G)
#define _PAGE_KERNEL_4MB	(_PAGE_KERNEL | _PAGE_SZ4MB)

#ifndef __ASSEMBLY__
#include <asm-generic/pgtable_types.h>
#endif
#endif
