/* SPDX-License-Identifier: GPL-2.0-only */
/* Probed instructions of programs. */
#ifndef _ASM_UPROBES_H
#define _ASM_UPROBES_H

#include <linux/types.h>
#include <asm/ptrace.h>

#define MAX_UINSN_BYTES		15	/* no instruction is longer */

typedef u8 uprobe_opcode_t;

#define UPROBE_SWBP_INSN	0xcc	/* int3 */
#define UPROBE_SWBP_INSN_SIZE	1

/* How far from the original a copy may lie, whose displacement is 32 bits. */
#define UPROBE_XOL_REACH	0x40000000UL

/* What is done in place of what no copy could do. */
enum uprobe_kind {
	UPROBE_COPY,
	UPROBE_JMP,		/* relative */
	UPROBE_JCC,
	UPROBE_LOOP,		/* loopne, loope, loop, jrcxz */
	UPROBE_CALL,
	UPROBE_CALL_INDIRECT,
};

struct arch_uprobe {
	u8 insn[MAX_UINSN_BYTES];
	u8 length;
	u8 kind;
	u8 opcode;		/* the last byte of it */
	u8 modrm;		/* offset of the byte */
	u8 rip_relative;	/* offset of a displacement from rip, or 0 */
	u8 rex;			/* the prefix, or 0 */
	u8 segment;		/* the last segment prefix, or 0 */
	bool address32;		/* addresses have 32 bits */
	s32 branch;		/* how far a relative one goes */
};

#endif
