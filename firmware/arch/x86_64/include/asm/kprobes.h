/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: int3. The host's copies of instructions lead behind them by
 * what stands behind another int3: a jump, or a return that takes the address
 * off the stack. One who comes to such an int3 for no reason just goes on.
 */
#ifndef _ASM_KPROBES_H
#define _ASM_KPROBES_H

#include <linux/rethook.h>
#include <linux/types.h>
#include <asm/ptrace.h>

typedef u8 kprobe_opcode_t;

/* Whether each copy ends with a trap, or only one that is stepped over. */
#define KPROBE_COPY_TRAPS	true

struct kprobe_ctlblk {
	unsigned long running;	/* the trap whose probes are; 0: none */
	bool stepping;		/* their instruction is being executed */
	unsigned int reentered;	/* so many copies end before theirs does */
};

#define JMP32_INSN_OPCODE	0xe9
#define JMP32_INSN_SIZE		5
#define RET_IMM16_OPCODE	0xc2

static __always_inline void arch_kprobe_step(struct pt_regs *regs,
					     struct kprobe_ctlblk *kcb)
{
}

static __always_inline bool arch_kprobe_leave_copy(struct pt_regs *regs,
						   struct kprobe_ctlblk *kcb)
{
	const u8 *insn = (const u8 *)regs->ip;

	if (*insn == JMP32_INSN_OPCODE) {
		regs->ip += JMP32_INSN_SIZE + *(const s32 *)(insn + 1);
	} else {
		regs->ip = *(unsigned long *)regs->sp;
		regs->sp += sizeof(long);
		if (*insn == RET_IMM16_OPCODE)
			regs->sp += *(const u16 *)(insn + 1);
	}
	return true;
}

/*
 * At a function's first instruction: has the call return to the host's
 * trampoline. False: the host has no room.
 */
static __always_inline bool arch_kretprobe_hook(struct pt_regs *regs,
						unsigned long *ret_addr,
						unsigned long *fp)
{
	unsigned long *slot = (unsigned long *)regs->sp;

	*ret_addr = *slot;
	*fp = (unsigned long)slot;
	if (!rethook_hook(*slot, *fp))
		return false;
	*slot = (unsigned long)arch_rethook_trampoline;
	return true;
}

/* At kretprobe_trap, as if the call had returned; what identifies it. */
static __always_inline unsigned long
arch_kretprobe_returned(struct pt_regs *regs)
{
	unsigned long slot = regs->sp;

	regs->ip = *(unsigned long *)slot;
	regs->sp += sizeof(long);
	return slot;
}

#endif
