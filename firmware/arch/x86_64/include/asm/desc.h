/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors: segments, gates, the TSS. */
#ifndef _ASM_DESC_H
#define _ASM_DESC_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/segment.h>

struct desc_ptr {
	u16 size;
	u64 address;
} __packed;

struct gate_desc {
	u16 offset_low;
	u16 segment;
	u8 ist;
	u8 type;		/* present, DPL, gate type */
	u16 offset_middle;
	u32 offset_high;
	u32 reserved;
};

struct tss_struct {
	u32 reserved1;
	u64 sp0;		/* stack for entries from user mode */
	u64 sp1;
	u64 sp2;
	u64 reserved2;
	u64 ist[7];
	u32 reserved3;
	u32 reserved4;
	u16 reserved5;
	u16 io_bitmap_base;
} __packed;

#define IST_INDEX_NMI	1
#define IST_INDEX_DF	2

#define GATE_INTERRUPT		0x8e
#define GATE_INTERRUPT_USER	0xee	/* all may execute int3 and into */

void load_sp0(unsigned long sp0);

#endif
