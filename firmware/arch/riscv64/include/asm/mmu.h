/* SPDX-License-Identifier: GPL-2.0-only */
/* What an address space keeps for this architecture. */
#ifndef _ASM_MMU_H
#define _ASM_MMU_H

#include <linux/types.h>

typedef struct {
	u64 tlb_gen;		/* grows with every flush */
	unsigned long vdso;	/* where it is mapped */
} mm_context_t;

#endif
