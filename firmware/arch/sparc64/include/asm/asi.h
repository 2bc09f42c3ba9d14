/* SPDX-License-Identifier: GPL-2.0-only */
/* Address space identifiers, and the registers of the MMUs behind them. */
#ifndef _ASM_ASI_H
#define _ASM_ASI_H

#define ASI_AIUP		0x10	/* primary, as if by the user */
#define ASI_PHYS_USE_EC		0x14	/* physical, cached */
#define ASI_IMMU		0x50
#define ASI_ITLB_DATA_IN	0x54
#define ASI_IMMU_DEMAP		0x57
#define ASI_DMMU		0x58
#define ASI_DTLB_DATA_IN	0x5c
#define ASI_DMMU_DEMAP		0x5f
#define ASI_PNF			0x82	/* what programs start with */

/* Addresses in ASI_DMMU; TLB_TAG_ACCESS also in ASI_IMMU. */
#define PRIMARY_CONTEXT		0x08
#define TLB_TAG_ACCESS		0x30

/* What is demapped, in the address: a page or all of a context's. */
#define DEMAP_PAGE_PRIMARY	0x00
#define DEMAP_PAGE_NUCLEUS	0x20
#define DEMAP_CONTEXT_PRIMARY	0x40

/*
 * Programs'; set once. The kernel's translations are in every context, and
 * entry code, above trap level 0, is in context 0, which has no others.
 */
#define USER_CONTEXT		1

#endif
