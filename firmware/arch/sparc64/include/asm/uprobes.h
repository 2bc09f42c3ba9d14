/* SPDX-License-Identifier: GPL-2.0-only */
/* Probed instructions of programs. */
#ifndef _ASM_UPROBES_H
#define _ASM_UPROBES_H

#include <linux/types.h>
#include <asm/ptrace.h>

#define MAX_UINSN_BYTES		4

typedef u32 uprobe_opcode_t;

#define UPROBE_SWBP_INSN	0x91d02073	/* ta 0x73 */
#define UPROBE_SWBP_INSN_SIZE	4

/* A copy refers to nothing around it. */
#define UPROBE_XOL_REACH	TASK_SIZE

struct arch_uprobe {
	u8 insn[MAX_UINSN_BYTES] __aligned(4);
};

/* The program's windows leave the CPU; -EFAULT: its stack is not there. */
int arch_uprobe_begin(void);
#define arch_uprobe_begin arch_uprobe_begin

#endif
