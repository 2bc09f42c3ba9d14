/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of probed instructions, near their originals: executed out of line. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/ptrace.h>

#include "internal.h"

/* In the first slot of each area is a breakpoint. */
#define TRAMPOLINE	~0UL

/* How far from its place by the hash a copy may be. */
#define SLOTS_TO_TRY	8

static vm_fault_t xol_fault(struct vm_fault *vmf);

static const struct vm_operations_struct xol_vm_ops = {
	.fault	= xol_fault,
};

bool is_xol_vma(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &xol_vm_ops;
}

/* Areas are added, and stay as long as the address space. */
static struct xol_area *find_area(const struct mm_struct *mm,
				  unsigned long vaddr)
{
	struct xol_area *area = READ_ONCE(mm->uprobes_state.xol_area);

	while (area && (vaddr & PAGE_MASK) != area->vaddr)
		area = area->next;
	return area;
}

/* The program may have moved it: nothing is there then. */
static vm_fault_t xol_fault(struct vm_fault *vmf)
{
	struct xol_area *area = find_area(vmf->vma->vm_mm, vmf->address);

	if (!area)
		return VM_FAULT_SIGBUS;
	get_page(area->page);
	vmf->page = area->page;
	return 0;
}

static inline unsigned long slot_address(const struct xol_area *area,
					 unsigned int slot)
{
	return area->vaddr + slot * UPROBE_XOL_SLOT_BYTES;
}

static inline u8 *slot_contents(const struct xol_area *area, unsigned int slot)
{
	return page_address(area->page) + slot * UPROBE_XOL_SLOT_BYTES;
}

/* The slot of a copy, or the free one for it; 0: there is no room. */
static unsigned int find_slot(const struct xol_area *area, unsigned long vaddr)
{
	u32 hash = (u32)vaddr * 0x61c88647;
	unsigned int slot = hash / ((1UL << 32) / UINSNS_PER_PAGE);

	for (unsigned int n = 0; n < SLOTS_TO_TRY; n++) {
		if (area->probed[slot] == vaddr || !area->probed[slot])
			return slot;
		slot = (slot + 1) % UINSNS_PER_PAGE;
	}
	return 0;
}

/* With mmap_lock held: where a copy is that is as it is to be; 0: nowhere. */
static unsigned long find_copy(const struct arch_uprobe *auprobe,
			       unsigned long vaddr)
{
	struct xol_area *area = current->mm->uprobes_state.xol_area;
	u8 wanted[UPROBE_XOL_SLOT_BYTES];
	unsigned int slot;

	for (; area; area = area->next) {
		slot = find_slot(area, vaddr);
		if (area->probed[slot] == vaddr &&
		    !arch_uprobe_copy_ixol(auprobe, vaddr,
					   slot_address(area, slot), wanted) &&
		    !memcmp(slot_contents(area, slot), wanted, sizeof(wanted)))
			return slot_address(area, slot);
	}
	return 0;
}

/* CPUs may have executed what was in the slot before. */
static void write_slot(struct xol_area *area, unsigned int slot,
		       const u8 *contents, size_t size)
{
	unsigned long page = (unsigned long)page_address(area->page);

	memcpy(slot_contents(area, slot), contents, size);
	flush_icache_range(page, page + PAGE_SIZE);
}

/* With mmap_lock held for writing. 0: no room, or it is too far away. */
static unsigned long make_copy(struct xol_area *area,
			       const struct arch_uprobe *auprobe,
			       unsigned long vaddr)
{
	unsigned int slot = find_slot(area, vaddr);
	u8 wanted[UPROBE_XOL_SLOT_BYTES];

	if (!slot || arch_uprobe_copy_ixol(auprobe, vaddr,
					   slot_address(area, slot), wanted))
		return 0;
	write_slot(area, slot, wanted, sizeof(wanted));
	area->probed[slot] = vaddr;
	return slot_address(area, slot);
}

/*
 * A free page that instructions near @vaddr can refer to each other's data
 * from: below it, where no heap grows, if there is one.
 */
static unsigned long find_place(unsigned long vaddr)
{
	struct vm_unmapped_area_info info = {
		.flags = VM_UNMAPPED_AREA_TOPDOWN,
		.length = PAGE_SIZE,
		.low_limit = vaddr > UPROBE_XOL_REACH ?
			     PAGE_ALIGN(vaddr - UPROBE_XOL_REACH) : 0,
		.high_limit = vaddr & PAGE_MASK,
	};
	unsigned long addr = vm_unmapped_area(&info);

	if (!IS_ERR_VALUE(addr))
		return addr;
	info.high_limit = min(vaddr + UPROBE_XOL_REACH, TASK_SIZE) & PAGE_MASK;
	return vm_unmapped_area(&info);
}

/* With mmap_lock held for writing. */
static int xol_add_vma(struct mm_struct *mm, struct xol_area *area)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);
	int err;

	if (!vma)
		return -ENOMEM;
	vma->vm_start = area->vaddr;
	vma->vm_end = area->vaddr + PAGE_SIZE;
	vma->vm_flags = VM_READ | VM_EXEC | VM_MAYREAD | VM_MAYEXEC | VM_IO;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	vma->vm_pgoff = area->vaddr >> PAGE_SHIFT;
	vma->vm_ops = &xol_vm_ops;
	err = insert_vm_struct(mm, vma);
	if (err)
		vm_area_free(vma);
	return err;
}

static struct xol_area *alloc_area(void)
{
	struct xol_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->page = alloc_page(GFP_HIGHUSER_MOVABLE | __GFP_ZERO);
	if (!area->page) {
		kfree(area);
		return NULL;
	}
	area->probed[0] = TRAMPOLINE;
	return area;
}

static void free_area(struct xol_area *area)
{
	put_page(area->page);
	kfree(area);
}

static void link_area(struct mm_struct *mm, struct xol_area *area)
{
	area->next = mm->uprobes_state.xol_area;
	WRITE_ONCE(mm->uprobes_state.xol_area, area);
}

/* With mmap_lock held for writing; NULL: no memory. */
static struct xol_area *create_area(unsigned long vaddr)
{
	const uprobe_opcode_t insn = UPROBE_SWBP_INSN;
	struct xol_area *area = alloc_area();

	if (!area)
		return NULL;
	area->vaddr = find_place(vaddr);
	if (IS_ERR_VALUE(area->vaddr) || xol_add_vma(current->mm, area)) {
		free_area(area);
		return NULL;
	}
	write_slot(area, 0, (const u8 *)&insn, sizeof(insn));
	link_area(current->mm, area);
	return area;
}

/* In the first area that it can be in; with mmap_lock held for writing. */
static unsigned long make_copy_near(const struct arch_uprobe *auprobe,
				    unsigned long vaddr)
{
	unsigned long xol_vaddr = find_copy(auprobe, vaddr);
	struct xol_area *area;

	for (area = current->mm->uprobes_state.xol_area; area && !xol_vaddr;
	     area = area->next)
		xol_vaddr = make_copy(area, auprobe, vaddr);
	if (xol_vaddr)
		return xol_vaddr;
	area = create_area(vaddr);
	return area ? make_copy(area, auprobe, vaddr) : 0;
}

unsigned long xol_get_insn_slot(struct uprobe *uprobe, unsigned long vaddr)
{
	struct mm_struct *mm = current->mm;
	unsigned long xol_vaddr;

	mmap_read_lock(mm);
	xol_vaddr = find_copy(&uprobe->arch, vaddr);
	mmap_read_unlock(mm);
	if (xol_vaddr)
		return xol_vaddr;
	mmap_write_lock(mm);
	xol_vaddr = make_copy_near(&uprobe->arch, vaddr);
	mmap_write_unlock(mm);
	return xol_vaddr;
}

unsigned long xol_get_trampoline(unsigned long vaddr)
{
	struct mm_struct *mm = current->mm;
	struct xol_area *area = READ_ONCE(mm->uprobes_state.xol_area);

	if (area)
		return area->vaddr;
	mmap_write_lock(mm);
	area = mm->uprobes_state.xol_area;
	if (!area)
		area = create_area(vaddr);
	mmap_write_unlock(mm);
	return area ? area->vaddr : 0;
}

bool is_xol_trampoline(const struct mm_struct *mm, unsigned long vaddr)
{
	return !offset_in_page(vaddr) && find_area(mm, vaddr);
}

/*
 * The child's tasks stand where the parent's did. With both mmap_locks held
 * for writing.
 */
int xol_dup_areas(struct mm_struct *oldmm, struct mm_struct *mm)
{
	struct xol_area *old, *area;

	for (old = oldmm->uprobes_state.xol_area; old; old = old->next) {
		area = alloc_area();
		if (!area)
			return -ENOMEM;
		area->vaddr = old->vaddr;
		memcpy(area->probed, old->probed, sizeof(area->probed));
		copy_page(page_address(area->page), page_address(old->page));
		link_area(mm, area);
	}
	return 0;
}

void xol_free_areas(struct mm_struct *mm)
{
	struct xol_area *area, *next;

	for (area = mm->uprobes_state.xol_area; area; area = next) {
		next = area->next;
		free_area(area);
	}
	mm->uprobes_state.xol_area = NULL;
}

void __uprobe_abort_xol(struct pt_regs *regs)
{
	unsigned long ip = instruction_pointer(regs);
	struct xol_area *area = find_area(current->mm, ip);
	unsigned int slot = offset_in_page(ip) / UPROBE_XOL_SLOT_BYTES;

	if (area && slot && slot_address(area, slot) == ip &&
	    area->probed[slot])
		instruction_pointer_divert(regs, area->probed[slot]);
}
