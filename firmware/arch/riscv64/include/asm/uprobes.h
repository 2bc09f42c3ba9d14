/* SPDX-License-Identifier: GPL-2.0-only */
/* Probed instructions of programs. */
#ifndef _ASM_UPROBES_H
#define _ASM_UPROBES_H

#include <linux/types.h>
#include <asm/ptrace.h>

/* The instruction, and what follows it: so long may a sequence from lr to sc be. */
#define MAX_UINSN_BYTES		64

typedef u16 uprobe_opcode_t;

#define UPROBE_SWBP_INSN	0x9002		/* c.ebreak */
#define UPROBE_SWBP_INSN_SIZE	2

/* A copy refers to nothing around it. */
#define UPROBE_XOL_REACH	TASK_SIZE

struct arch_uprobe {
	u8 insn[MAX_UINSN_BYTES] __aligned(4);
};

#endif
