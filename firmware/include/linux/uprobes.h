/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes in programs: a breakpoint at an offset of a file, in every address
 * space that maps it. Who hits it has consumers called, and then executes a
 * copy of the instruction that was there.
 */
#ifndef _LINUX_UPROBES_H
#define _LINUX_UPROBES_H

#include <linux/types.h>
#include <linux/sched.h>
#include <linux/mm_types.h>
#include <asm/uprobes.h>

struct inode;
struct pt_regs;
struct vm_area_struct;

struct uprobe_consumer {
	/* Before the instruction is executed. */
	void (*handler)(struct uprobe_consumer *self, struct pt_regs *regs);
	/* When the function that begins with it returns; @func: its address. */
	void (*ret_handler)(struct uprobe_consumer *self, unsigned long func,
			    struct pt_regs *regs);
	struct uprobe_consumer *next;
};

/*
 * Only one thread calls these, and may sleep. @ref_ctr_offset: where the file
 * has a counter of 16 bits of those who probe it, or 0. Returns 0 or -errno.
 */
int uprobe_register(struct inode *inode, loff_t offset, loff_t ref_ctr_offset,
		    struct uprobe_consumer *uc);
void uprobe_unregister(struct inode *inode, loff_t offset,
		       struct uprobe_consumer *uc);

/* How many places are probed: hooks have nothing to do while it is 0. */
extern unsigned int nr_uprobes;

void __uprobe_mmap(struct vm_area_struct *vma);
int __uprobe_dup_mmap(struct mm_struct *oldmm, struct mm_struct *mm);
void __uprobe_clear_state(struct mm_struct *mm);
void __uprobe_free_utask(struct task_struct *t);
void __uprobe_copy_process(struct task_struct *t, unsigned long flags);
void __uprobe_abort_xol(struct pt_regs *regs);

/* With mmap_lock held for writing: the area is new, or has grown. */
static inline void uprobe_mmap(struct vm_area_struct *vma)
{
	if (unlikely(READ_ONCE(nr_uprobes)))
		__uprobe_mmap(vma);
}

/* The child's address space is not complete; uprobe_dup_mmap() ends that. */
static inline void uprobe_start_dup_mmap(struct mm_struct *mm)
{
	WRITE_ONCE(mm->uprobes_state.forking, true);
}

/* With @oldmm's mmap_lock held for writing. */
static inline int uprobe_dup_mmap(struct mm_struct *oldmm, struct mm_struct *mm)
{
	WRITE_ONCE(mm->uprobes_state.forking, false);
	if (unlikely(READ_ONCE(nr_uprobes) || oldmm->uprobes_state.has_uprobes))
		return __uprobe_dup_mmap(oldmm, mm);
	return 0;
}

/* Nobody uses the address space any more. */
static inline void uprobe_clear_state(struct mm_struct *mm)
{
	if (unlikely(mm->uprobes_state.has_uprobes))
		__uprobe_clear_state(mm);
}

/* The task leaves its stack, and the calls there never return. */
static inline void uprobe_free_utask(struct task_struct *t)
{
	if (unlikely(t->utask))
		__uprobe_free_utask(t);
}

/* The running task's child may return from the same calls. */
static inline void uprobe_copy_process(struct task_struct *t,
				       unsigned long flags)
{
	if (unlikely(current->utask))
		__uprobe_copy_process(t, flags);
}

/*
 * The program's instruction has faulted. If what was executed is a copy, it
 * has not been yet: the program is where the original is.
 */
static inline void uprobe_abort_xol(struct pt_regs *regs)
{
	if (unlikely(current->mm && current->mm->uprobes_state.xol_area))
		__uprobe_abort_xol(regs);
}

/*
 * From the trap, in user mode: whether it may be a probe's. The way back to
 * the program then looks.
 */
bool uprobe_pre_sstep_notifier(struct pt_regs *regs);
/* On the way back, with interrupts on; may sleep. */
void uprobe_notify_resume(struct pt_regs *regs);

/* Whether the area holds copies of instructions. */
bool is_xol_vma(const struct vm_area_struct *vma);

/* arch/ARCH/uprobes.c */

/* A copy of an instruction, and what leads on from it. */
#define UPROBE_XOL_SLOT_BYTES	32

/* Before a handler: has what @regs do not hold leave the CPU, or -errno. */
#ifndef arch_uprobe_begin
static inline int arch_uprobe_begin(void)
{
	return 0;
}
#endif

/* The instruction is in auprobe->insn: 0, or -errno if it cannot be probed. */
int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe);
/* Does what the instruction would do, if no copy of it could; may sleep. */
bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
			    struct pt_regs *regs, bool *failed);
/*
 * Makes a slot for an instruction from @vaddr that will be executed at
 * @xol_vaddr: -ERANGE if it does not reach from there what it refers to.
 */
int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
			  unsigned long vaddr, unsigned long xol_vaddr,
			  u8 slot[UPROBE_XOL_SLOT_BYTES]);
/* The program goes on at a slot, and after it where it would have. */
void arch_uprobe_pre_xol(struct pt_regs *regs, unsigned long xol_vaddr);
/* At a function's first instruction: where it was to return to, or 0. */
unsigned long arch_uretprobe_hijack_return_addr(unsigned long trampoline,
						struct pt_regs *regs);

/* In which situation an older call is asked about. */
enum rp_check {
	RP_CHECK_CALL,		/* another function begins */
	RP_CHECK_CHAIN_CALL,	/* it returns to the trampoline already */
	RP_CHECK_RET,		/* a newer call returns */
};

/* A breakpoint that is nobody's, or the program's own. */
void arch_uprobe_unknown_swbp(struct pt_regs *regs);

/* Whether a call that began with the stack pointer @stack may still return. */
bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
			     struct pt_regs *regs);

#endif
