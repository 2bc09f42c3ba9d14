/* SPDX-License-Identifier: GPL-2.0-only */
/* Where programs cannot be probed yet: fallback/uprobes.c refuses. */
#ifndef _ASM_UPROBES_H
#define _ASM_UPROBES_H

#include <linux/types.h>
#include <asm/ptrace.h>

#define MAX_UINSN_BYTES		4

typedef u32 uprobe_opcode_t;

#define UPROBE_SWBP_INSN	0
#define UPROBE_SWBP_INSN_SIZE	4

#define UPROBE_XOL_REACH	TASK_SIZE

struct arch_uprobe {
	u8 insn[MAX_UINSN_BYTES] __aligned(4);
};

#endif
