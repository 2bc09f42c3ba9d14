/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probed instructions of programs. A copy is executed with TNPC as it was, and
 * so goes on where the original would, in delay slots, too. What depends on
 * its own address has no copy: branches, calls, and who reads the PC.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uprobes.h>
#include <asm/proto.h>

#define INSN_OP(insn)		((insn) >> 30)
#define INSN_OP2(insn)		((insn) >> 22 & 7)
#define INSN_OP3(insn)		((insn) >> 19 & 0x3f)
#define INSN_RD(insn)		((insn) >> 25 & 0x1f)
#define INSN_RS1(insn)		((insn) >> 14 & 0x1f)
#define INSN_COND(insn)		((insn) >> 25 & 0xf)
#define INSN_D16(insn)		(((insn) >> 6 & 0xc000) | ((insn) & 0x3fff))
#define INSN_ANNUL(insn)	((insn) & 1 << 29)

/* op: */
#define OP_BRANCH		0
#define OP_CALL			1
#define OP_ARITHMETIC		2
/* op2: */
#define OP2_BPCC		1
#define OP2_BICC		2
#define OP2_BPR			3
#define OP2_FBPFCC		5
#define OP2_FBFCC		6
/* op3: */
#define OP3_RD			0x28
#define OP3_JMPL		0x38

#define RD_PC			5	/* of OP3_RD: rs1 */
#define COND_ALWAYS		8

#define UREG_O7			15

static inline u32 insn_of(const struct arch_uprobe *auprobe)
{
	return *(const u32 *)auprobe->insn;
}

static inline long sign_extend(u32 insn, unsigned int bits)
{
	return (long)((u64)insn << (64 - bits)) >> (64 - bits);
}

int arch_uprobe_begin(void)
{
	return synchronize_user_stack();
}

void arch_uprobe_unknown_swbp(struct pt_regs *regs)
{
	force_sig_fault(SIGILL, ILL_ILLTRP, (void __user *)regs->tpc);
}

int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe)
{
	return insn_of(auprobe) == UPROBE_SWBP_INSN ? -EOPNOTSUPP : 0;
}

/* The condition codes N, Z, V, C, and every second condition is a negation. */
static bool icc_condition(unsigned int cond, unsigned int ccr)
{
	bool n = ccr & 8, z = ccr & 4, v = ccr & 2, c = ccr & 1, holds;

	switch (cond & 7) {
	case 0:
		holds = false;
		break;
	case 1:
		holds = z;
		break;
	case 2:
		holds = z || n != v;
		break;
	case 3:
		holds = n != v;
		break;
	case 4:
		holds = c || z;
		break;
	case 5:
		holds = c;
		break;
	case 6:
		holds = n;
		break;
	default:
		holds = v;
	}
	return holds != (cond >> 3);
}

/* @fcc: equal, less, greater, unordered; conditions 1 to 7: sets of these. */
static bool fcc_condition(unsigned int cond, unsigned int fcc)
{
	static const u8 sets[] = {
		0, 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 | 1 << 2, 1 << 3 | 1 << 1,
		1 << 1, 1 << 3 | 1 << 2, 1 << 2, 1 << 3,
	};

	return (sets[cond & 7] >> fcc & 1) != (cond >> 3);
}

/* What a register holds, against zero; every fourth one is a negation. */
static bool register_condition(unsigned int cond, long value)
{
	bool holds = (cond & 3) == 1 ? value == 0 :
		     (cond & 3) == 2 ? value <= 0 : value < 0;

	return holds != (cond >> 2 & 1);
}

static unsigned int fcc_of(unsigned int n)
{
	struct thread_struct *thread = &current->thread;

	preempt_disable();
	if (rdfprs() & FPRS_FEF)
		fpsave(&thread->fpu);
	preempt_enable();
	return (n ? thread->fpu.fsr >> (30 + 2 * n) :
		    thread->fpu.fsr >> 10) & 3;
}

static unsigned int ccr_of(struct pt_regs *regs, bool xcc)
{
	return (regs->tstate >> (xcc ? 36 : 32)) & 0xf;
}

static void branch(struct pt_regs *regs, u32 insn, bool taken, bool always,
		   long distance)
{
	unsigned long target = regs->tpc + distance;

	if (taken && always && INSN_ANNUL(insn)) {
		regs->tpc = target;
		regs->tnpc = target + 4;
	} else if (taken) {
		regs->tpc = regs->tnpc;
		regs->tnpc = target;
	} else if (INSN_ANNUL(insn)) {
		regs->tpc = regs->tnpc + 4;
		regs->tnpc = regs->tpc + 4;
	} else {
		regs->tpc = regs->tnpc;
		regs->tnpc += 4;
	}
}

static bool emulate_branch(struct pt_regs *regs, u32 insn)
{
	unsigned int cond = INSN_COND(insn);
	bool always = cond == COND_ALWAYS;
	long far = sign_extend(insn, 22) * 4, near = sign_extend(insn, 19) * 4;
	unsigned long value;

	switch (INSN_OP2(insn)) {
	case OP2_BICC:
		branch(regs, insn, icc_condition(cond, ccr_of(regs, false)),
		       always, far);
		return true;
	case OP2_BPCC:
		branch(regs, insn,
		       icc_condition(cond, ccr_of(regs, insn >> 21 & 1)),
		       always, near);
		return true;
	case OP2_FBFCC:
		branch(regs, insn, fcc_condition(cond, fcc_of(0)), always, far);
		return true;
	case OP2_FBPFCC:
		branch(regs, insn, fcc_condition(cond, fcc_of(insn >> 20 & 3)),
		       always, near);
		return true;
	case OP2_BPR:
		value = fetch_reg(regs, INSN_RS1(insn));
		branch(regs, insn, register_condition(cond, value), false,
		       sign_extend(INSN_D16(insn), 16) * 4);
		return true;
	default:
		return false;
	}
}

static void next_insn(struct pt_regs *regs, unsigned long after)
{
	regs->tpc = regs->tnpc;
	regs->tnpc = after;
}

bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
			    struct pt_regs *regs, bool *failed)
{
	u32 insn = insn_of(auprobe);
	unsigned long pc = regs->tpc, target;

	switch (INSN_OP(insn)) {
	case OP_BRANCH:
		return emulate_branch(regs, insn);
	case OP_CALL:
		regs->u_regs[UREG_O7] = pc;
		next_insn(regs, pc + sign_extend(insn, 30) * 4);
		return true;
	case OP_ARITHMETIC:
		break;
	default:
		return false;
	}
	if (INSN_OP3(insn) == OP3_RD && INSN_RS1(insn) == RD_PC) {
		store_reg(regs, INSN_RD(insn), pc);
		next_insn(regs, regs->tnpc + 4);
		return true;
	}
	if (INSN_OP3(insn) != OP3_JMPL || !INSN_RD(insn))
		return false;
	target = compute_effective_address(regs, insn);
	if (target & 3) {
		force_sig_fault(SIGBUS, BUS_ADRALN, (void __user *)target);
		return true;
	}
	store_reg(regs, INSN_RD(insn), pc);
	next_insn(regs, target);
	return true;
}

int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
			  unsigned long vaddr, unsigned long xol_vaddr,
			  u8 slot[UPROBE_XOL_SLOT_BYTES])
{
	memset(slot, 0, UPROBE_XOL_SLOT_BYTES);
	memcpy(slot, auprobe->insn, sizeof(auprobe->insn));
	return 0;
}

/* A function returns behind its call and that one's delay slot. */
unsigned long arch_uretprobe_hijack_return_addr(unsigned long trampoline,
						struct pt_regs *regs)
{
	unsigned long call = regs->u_regs[UREG_O7];

	regs->u_regs[UREG_O7] = trampoline - 8;
	return call + 8;
}

/* A call with a frame of its own leaves the caller's stack pointer alone. */
bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
			     struct pt_regs *regs)
{
	unsigned long sp = user_stack_pointer(regs);

	return ctx == RP_CHECK_CHAIN_CALL ? sp <= stack : sp < stack;
}
