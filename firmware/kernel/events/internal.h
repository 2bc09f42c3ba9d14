/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kernel/events share. */
#ifndef _EVENTS_INTERNAL_H
#define _EVENTS_INTERNAL_H

#include <linux/uprobes.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>

/* A place in a file at which somebody wants breakpoints. */
struct uprobe {
	struct rb_node rb_node;		/* by inode and offset */
	refcount_t ref;
	struct rw_semaphore register_rwsem;	/* of consumers */
	struct inode *inode;		/* its users' to hold */
	loff_t offset;
	loff_t ref_ctr_offset;		/* 0: there is no counter */
	struct uprobe_consumer *consumers;
	struct list_head pending_list;	/* under uprobes_mmap_mutex */
	struct arch_uprobe arch;
};

/* uprobes.c */
void put_uprobe(struct uprobe *uprobe);

/*
 * uprobes_write.c: with mmap_lock held for writing. Where the instruction is
 * that way already nothing is done.
 */
int set_swbp(struct uprobe *uprobe, struct vm_area_struct *vma,
	     unsigned long vaddr);
int set_orig_insn(struct uprobe *uprobe, struct vm_area_struct *vma,
		  unsigned long vaddr);
/* With mmap_lock held: whether a breakpoint is there, or -EFAULT. */
int is_swbp_at_addr(struct vm_area_struct *vma, unsigned long vaddr);
void delayed_ref_ctr_inc(struct vm_area_struct *vma);
void delayed_uprobe_remove(struct uprobe *uprobe, struct mm_struct *mm);

static inline unsigned long offset_to_vaddr(const struct vm_area_struct *vma,
					    loff_t offset)
{
	return vma->vm_start + offset -
	       ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
}

static inline loff_t vaddr_to_offset(const struct vm_area_struct *vma,
				     unsigned long vaddr)
{
	return ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + vaddr - vma->vm_start;
}

/* Whether the area shows this byte of its file. */
static inline bool vma_has_offset(const struct vm_area_struct *vma,
				  loff_t offset)
{
	loff_t first = (loff_t)vma->vm_pgoff << PAGE_SHIFT;

	return offset >= first &&
	       offset - first < (loff_t)(vma->vm_end - vma->vm_start);
}

/*
 * xol.c: copies of probed instructions, executed out of line. A copy stays
 * where it is as long as its address space lives: tasks may stand in it.
 */
#define UINSNS_PER_PAGE		(PAGE_SIZE / UPROBE_XOL_SLOT_BYTES)

struct xol_area {
	struct xol_area *next;
	struct page *page;
	unsigned long vaddr;
	/* Whose copy each slot is, by a hash of that; 0: nobody's. */
	unsigned long probed[UINSNS_PER_PAGE];
};

/* Of the running task: the copy's address, or 0. */
unsigned long xol_get_insn_slot(struct uprobe *uprobe, unsigned long vaddr);
/* Where calls return to whose return is probed; 0: no memory. */
unsigned long xol_get_trampoline(unsigned long vaddr);
/* Whether @vaddr is that. */
bool is_xol_trampoline(const struct mm_struct *mm, unsigned long vaddr);
int xol_dup_areas(struct mm_struct *oldmm, struct mm_struct *mm);
void xol_free_areas(struct mm_struct *mm);

/* uretprobe.c: calls whose return is probed. */
void prepare_uretprobe(struct uprobe *uprobe, struct pt_regs *regs);
void handle_trampoline(struct pt_regs *regs);

#endif
