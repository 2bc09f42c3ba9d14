/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probed instructions of programs. Behind a copy stands another breakpoint, and
 * then where the program goes on. What depends on its own address has no copy:
 * auipc, branches and jumps.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/proto.h>

#define INSN_EBREAK		0x00100073
#define INSN_BEHIND		8	/* of a slot: where the program goes on */

/* Opcodes of instructions of four bytes. */
#define OP_AUIPC		0x17
#define OP_AMO			0x2f
#define OP_BRANCH		0x63
#define OP_JALR			0x67
#define OP_JAL			0x6f
/* Of an AMO's function: a load that reserves, and its store. */
#define AMO_LR			0x02
#define AMO_SC			0x03
/* Quadrants and functions of compressed ones, in one number. */
#define C_OP(insn)		(((insn) & 3) | ((insn) >> 11 & 0x1c))
#define C_J			0x15
#define C_BEQZ			0x19
#define C_BNEZ			0x1d
#define C_JR_MV_ADD		0x12

/* @insn's bits from @from on, in the place of a number's bits from @to on. */
#define BITS(insn, from, count, to) \
	(((unsigned long)(insn) >> (from) & ((1UL << (count)) - 1)) << (to))
#define SIGNED(value, bits) \
	((long)((unsigned long)(value) << (64 - (bits))) >> (64 - (bits)))

static inline u32 insn_of(const struct arch_uprobe *auprobe)
{
	u32 insn = *(const u32 *)auprobe->insn;

	return (insn & 3) == 3 ? insn : (u16)insn;
}

static inline unsigned int insn_size(u32 insn)
{
	return (insn & 3) == 3 ? 4 : 2;
}

/* pt_regs has the registers from x1 on behind the program counter. */
static inline unsigned long get_reg(const struct pt_regs *regs, unsigned int n)
{
	return n ? (&regs->epc)[n] : 0;
}

static inline void set_reg(struct pt_regs *regs, unsigned int n,
			   unsigned long value)
{
	if (n)
		(&regs->epc)[n] = value;
}

/*
 * A reservation does not survive the trap, and the loop around it would never
 * end. An sc comes before another lr where there is one.
 */
static bool is_reserved(const struct arch_uprobe *auprobe)
{
	const u16 *insn = (const u16 *)auprobe->insn;
	const u16 *end = insn + MAX_UINSN_BYTES / 2 - 1;

	for (const u16 *at = insn; at < end; at += insn_size(*at) / 2) {
		if (BITS(*at, 0, 7, 0) != OP_AMO)
			continue;
		if (at[1] >> 11 == AMO_SC)
			return true;
		if (at[1] >> 11 == AMO_LR)
			return at == insn;
	}
	return false;
}

int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe)
{
	u32 insn = insn_of(auprobe);

	if (!insn || insn == UPROBE_SWBP_INSN || insn == INSN_EBREAK ||
	    is_reserved(auprobe))
		return -EOPNOTSUPP;
	return 0;
}

static bool branch_taken(const struct pt_regs *regs, u32 insn)
{
	unsigned long a = get_reg(regs, BITS(insn, 15, 5, 0));
	unsigned long b = get_reg(regs, BITS(insn, 20, 5, 0));
	unsigned int funct3 = BITS(insn, 12, 3, 0);
	bool holds;

	if (funct3 < 2)
		holds = a == b;
	else if (funct3 < 6)
		holds = (long)a < (long)b;
	else
		holds = a < b;
	return holds != (funct3 & 1);
}

static bool emulate(struct pt_regs *regs, u32 insn)
{
	unsigned long pc = regs->epc, target = pc + 4;
	unsigned int rd = BITS(insn, 7, 5, 0);

	switch (BITS(insn, 0, 7, 0)) {
	case OP_AUIPC:
		set_reg(regs, rd, pc + (s32)(insn & 0xfffff000));
		break;
	case OP_JAL:
		target = pc + SIGNED(BITS(insn, 31, 1, 20) |
				     BITS(insn, 12, 8, 12) |
				     BITS(insn, 20, 1, 11) |
				     BITS(insn, 21, 10, 1), 21);
		set_reg(regs, rd, pc + 4);
		break;
	case OP_JALR:
		target = (get_reg(regs, BITS(insn, 15, 5, 0)) +
			  ((s32)insn >> 20)) & ~1UL;
		set_reg(regs, rd, pc + 4);
		break;
	case OP_BRANCH:
		if (branch_taken(regs, insn))
			target = pc + SIGNED(BITS(insn, 31, 1, 12) |
					     BITS(insn, 7, 1, 11) |
					     BITS(insn, 25, 6, 5) |
					     BITS(insn, 8, 4, 1), 13);
		break;
	default:
		return false;
	}
	regs->epc = target;
	return true;
}

static long c_branch_offset(u32 insn)
{
	return SIGNED(BITS(insn, 12, 1, 8) | BITS(insn, 10, 2, 3) |
		      BITS(insn, 5, 2, 6) | BITS(insn, 3, 2, 1) |
		      BITS(insn, 2, 1, 5), 9);
}

static long c_jump_offset(u32 insn)
{
	return SIGNED(BITS(insn, 12, 1, 11) | BITS(insn, 11, 1, 4) |
		      BITS(insn, 9, 2, 8) | BITS(insn, 8, 1, 10) |
		      BITS(insn, 7, 1, 6) | BITS(insn, 6, 1, 7) |
		      BITS(insn, 3, 3, 1) | BITS(insn, 2, 1, 5), 12);
}

static bool emulate_compressed(struct pt_regs *regs, u32 insn)
{
	unsigned long pc = regs->epc, target = pc + 2;
	unsigned int rs1 = BITS(insn, 7, 5, 0);
	bool zero = !get_reg(regs, 8 + BITS(insn, 7, 3, 0));

	switch (C_OP(insn)) {
	case C_J:
		target = pc + c_jump_offset(insn);
		break;
	case C_BEQZ:
		if (zero)
			target = pc + c_branch_offset(insn);
		break;
	case C_BNEZ:
		if (!zero)
			target = pc + c_branch_offset(insn);
		break;
	case C_JR_MV_ADD:
		if (BITS(insn, 2, 5, 0) || !rs1)
			return false;
		target = get_reg(regs, rs1) & ~1UL;
		if (BITS(insn, 12, 1, 0))
			regs->ra = pc + 2;
		break;
	default:
		return false;
	}
	regs->epc = target;
	return true;
}

bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
			    struct pt_regs *regs, bool *failed)
{
	u32 insn = insn_of(auprobe);

	return insn_size(insn) == 4 ? emulate(regs, insn) :
				      emulate_compressed(regs, insn);
}

int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
			  unsigned long vaddr, unsigned long xol_vaddr,
			  u8 slot[UPROBE_XOL_SLOT_BYTES])
{
	const uprobe_opcode_t swbp = UPROBE_SWBP_INSN;
	unsigned int size = insn_size(insn_of(auprobe));
	unsigned long behind = vaddr + size;

	memset(slot, 0, UPROBE_XOL_SLOT_BYTES);
	memcpy(slot, auprobe->insn, size);
	memcpy(slot + size, &swbp, sizeof(swbp));
	memcpy(slot + INSN_BEHIND, &behind, sizeof(behind));
	return 0;
}

/* Behind a copy: the program goes on where the slot says. */
static bool leave_copy(struct pt_regs *regs)
{
	unsigned long slot = ALIGN_DOWN(regs->epc, UPROBE_XOL_SLOT_BYTES);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long behind;
	bool copied;

	mmap_read_lock(mm);
	vma = find_vma(mm, slot);
	copied = vma && vma->vm_start <= slot && is_xol_vma(vma);
	mmap_read_unlock(mm);
	if (!copied || get_user(behind, (unsigned long __user *)
					(slot + INSN_BEHIND)))
		return false;
	regs->epc = behind;
	return true;
}

void arch_uprobe_unknown_swbp(struct pt_regs *regs)
{
	if (!leave_copy(regs))
		force_sig_fault(SIGTRAP, TRAP_BRKPT, (void __user *)regs->epc);
}

/* No probe is there, nor was one. */
bool is_ebreak(struct pt_regs *regs)
{
	const u16 __user *at = (const u16 __user *)regs->epc;
	u16 low, high;

	return !get_user(low, at) && !get_user(high, at + 1) &&
	       (low | (u32)high << 16) == INSN_EBREAK;
}

unsigned long arch_uretprobe_hijack_return_addr(unsigned long trampoline,
						struct pt_regs *regs)
{
	unsigned long ra = regs->ra;

	regs->ra = trampoline;
	return ra;
}

/* A function that calls another one has a frame then. */
bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
			     struct pt_regs *regs)
{
	return ctx == RP_CHECK_CHAIN_CALL ? regs->sp <= stack :
					    regs->sp < stack;
}
