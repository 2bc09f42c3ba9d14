/* SPDX-License-Identifier: GPL-2.0-only */
/* Page table entries of sv39 and what their bits mean. */
#ifndef _ASM_PGTABLE_TYPES_H
#define _ASM_PGTABLE_TYPES_H

#include <asm/page.h>

#define _PAGE_PRESENT	(_AC(1, UL) << 0)
#define _PAGE_READ	(_AC(1, UL) << 1)
#define _PAGE_WRITE	(_AC(1, UL) << 2)
#define _PAGE_EXEC	(_AC(1, UL) << 3)
#define _PAGE_USER	(_AC(1, UL) << 4)
#define _PAGE_GLOBAL	(_AC(1, UL) << 5)
#define _PAGE_ACCESSED	(_AC(1, UL) << 6)
#define _PAGE_DIRTY	(_AC(1, UL) << 7)
#define _PAGE_SPECIAL	(_AC(1, UL) << 8)	/* software: not reference counted */
#define _PAGE_LEAF	(_PAGE_READ | _PAGE_WRITE | _PAGE_EXEC)

/* An entry holds the number of a page, not its address. */
#define PTE_PFN_SHIFT	10
#define PTE_PFN_MASK	_AC(0x003ffffffffffc00, UL)
#define _PAGE_TABLE	_PAGE_PRESENT

/* What makes a page executable. */
#define _PAGE_X		_PAGE_EXEC

/* Any part of RAM, as the kernel has it. */
#define _PAGE_KERNEL \
	(_PAGE_PRESENT | _PAGE_LEAF | _PAGE_GLOBAL | _PAGE_ACCESSED | \
	 _PAGE_DIRTY)

#ifndef __ASSEMBLY__

#include <asm-generic/pgtable_types.h>

/* An entry for a physical address. */
#define __pt_entry(phys, prot)	((phys) >> PAGE_SHIFT << PTE_PFN_SHIFT | (prot))

#endif
#endif
