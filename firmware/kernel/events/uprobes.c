/* SPDX-License-Identifier: GPL-2.0-only */
/* Probed places of files: where their breakpoints go, and who hits them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

unsigned int nr_uprobes;
static struct rb_root uprobes_tree;
static spinlock_t uprobes_treelock = __SPIN_LOCK_UNLOCKED;

/* Of the list that an mmap makes of those it has to do with. */
static DEFINE_MUTEX(uprobes_mmap_mutex);

/* One address space's view of a place. */
struct map_info {
	struct mm_struct *mm;
	unsigned long vaddr;
};

void put_uprobe(struct uprobe *uprobe)
{
	if (refcount_dec_and_test(&uprobe->ref))
		kfree(uprobe);
}

static inline int uprobe_cmp(const struct inode *inode, loff_t offset,
			     const struct uprobe *uprobe)
{
	if (inode != uprobe->inode)
		return inode < uprobe->inode ? -1 : 1;
	if (offset != uprobe->offset)
		return offset < uprobe->offset ? -1 : 1;
	return 0;
}

/* With the tree locked: the first that is not before that place, or NULL. */
static struct uprobe *first_uprobe(const struct inode *inode, loff_t offset)
{
	struct rb_node *node = uprobes_tree.rb_node;
	struct uprobe *uprobe, *first = NULL;

	while (node) {
		uprobe = rb_entry(node, struct uprobe, rb_node);
		if (uprobe_cmp(inode, offset, uprobe) <= 0) {
			first = uprobe;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return first;
}

/* NULL, or with a reference. */
static struct uprobe *find_uprobe(const struct inode *inode, loff_t offset)
{
	struct uprobe *uprobe;

	spin_lock(&uprobes_treelock);
	uprobe = first_uprobe(inode, offset);
	if (uprobe && uprobe_cmp(inode, offset, uprobe))
		uprobe = NULL;
	if (uprobe)
		refcount_inc(&uprobe->ref);
	spin_unlock(&uprobes_treelock);
	return uprobe;
}

static void insert_uprobe(struct uprobe *uprobe)
{
	struct rb_node **link = &uprobes_tree.rb_node, *parent = NULL;

	spin_lock(&uprobes_treelock);
	while (*link) {
		parent = *link;
		if (uprobe_cmp(uprobe->inode, uprobe->offset,
			       rb_entry(parent, struct uprobe, rb_node)) < 0)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&uprobe->rb_node, parent, link);
	rb_insert_color(&uprobe->rb_node, &uprobes_tree);
	WRITE_ONCE(nr_uprobes, nr_uprobes + 1);
	spin_unlock(&uprobes_treelock);
}

/* The tree's reference goes with it. */
static void delete_uprobe(struct uprobe *uprobe)
{
	spin_lock(&uprobes_treelock);
	rb_erase(&uprobe->rb_node, &uprobes_tree);
	WRITE_ONCE(nr_uprobes, nr_uprobes - 1);
	spin_unlock(&uprobes_treelock);
	delayed_uprobe_remove(uprobe, NULL);
	put_uprobe(uprobe);
}

/* What the file has at @offset; behind its end are zeroes. */
static int copy_insn(struct inode *inode, loff_t offset, u8 *insn, size_t size)
{
	loff_t left = i_size_read(inode) - offset;
	struct page *page;
	size_t n;

	memset(insn, 0, size);
	if (left < (loff_t)size)
		size = max(left, (loff_t)0);
	for (; size; insn += n, offset += n, size -= n) {
		page = read_mapping_page(inode->i_mapping,
					 offset >> PAGE_SHIFT);
		if (IS_ERR(page))
			return PTR_ERR(page);
		n = min(size, PAGE_SIZE - offset_in_page(offset));
		memcpy(insn, page_address(page) + offset_in_page(offset), n);
		put_page(page);
	}
	return 0;
}

static struct uprobe *alloc_uprobe(struct inode *inode, loff_t offset,
				   loff_t ref_ctr_offset)
{
	struct uprobe *uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL);
	int err;

	if (!uprobe)
		return ERR_PTR(-ENOMEM);
	refcount_set(&uprobe->ref, 1);
	init_rwsem(&uprobe->register_rwsem);
	uprobe->inode = inode;
	uprobe->offset = offset;
	uprobe->ref_ctr_offset = ref_ctr_offset;
	err = copy_insn(inode, offset, uprobe->arch.insn,
			sizeof(uprobe->arch.insn));
	if (!err)
		err = arch_uprobe_analyze_insn(&uprobe->arch);
	if (err) {
		kfree(uprobe);
		return ERR_PTR(err);
	}
	insert_uprobe(uprobe);
	return uprobe;
}

/* Whether breakpoints may come there; one that is there may go anywhere. */
static inline bool valid_vma(const struct vm_area_struct *vma, bool is_register)
{
	unsigned long flags = VM_MAYEXEC | VM_MAYSHARE;

	if (is_register)
		flags |= VM_WRITE;
	return vma->vm_file && (vma->vm_flags & flags) == VM_MAYEXEC;
}

/*
 * Those who show the place, each with a reference to its address space. Up to
 * @room of them are stored; returns how many there are. A fork that has not
 * ended looks for itself.
 */
static unsigned int find_maps(struct uprobe *uprobe, struct map_info *maps,
			      unsigned int room, bool is_register)
{
	struct address_space *mapping = uprobe->inode->i_mapping;
	struct vm_area_struct *vma;
	unsigned int n = 0;

	i_mmap_lock_read(mapping);
	list_for_each_entry(vma, &mapping->i_mmap, shared) {
		if (!valid_vma(vma, is_register) ||
		    !vma_has_offset(vma, uprobe->offset) ||
		    READ_ONCE(vma->vm_mm->uprobes_state.forking))
			continue;
		if (n < room) {
			if (!atomic_inc_not_zero(&vma->vm_mm->mm_users))
				continue;
			maps[n].mm = vma->vm_mm;
			maps[n].vaddr = offset_to_vaddr(vma, uprobe->offset);
		}
		n++;
	}
	i_mmap_unlock_read(mapping);
	return n;
}

static void put_maps(struct map_info *maps, unsigned int n)
{
	while (n)
		mmput(maps[--n].mm);
	kfree(maps);
}

/* *@mapsp becomes a list of them all; its length, or -ENOMEM. */
static int build_map_info(struct uprobe *uprobe, struct map_info **mapsp,
			  bool is_register)
{
	unsigned int room, n = find_maps(uprobe, NULL, 0, is_register);

	*mapsp = NULL;
	while (n) {
		room = n;
		*mapsp = kmalloc_array(room, sizeof(**mapsp), GFP_KERNEL);
		if (!*mapsp)
			return -ENOMEM;
		n = find_maps(uprobe, *mapsp, room, is_register);
		if (n <= room)
			break;
		put_maps(*mapsp, room);
		*mapsp = NULL;
	}
	return n;
}

/* What is mapped there may have changed since it was found. */
static int change_breakpoint(struct uprobe *uprobe, const struct map_info *info,
			     bool is_register)
{
	struct mm_struct *mm = info->mm;
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_write_lock(mm);
	vma = find_vma(mm, info->vaddr);
	if (vma && vma->vm_start <= info->vaddr &&
	    valid_vma(vma, is_register) &&
	    file_inode(vma->vm_file) == uprobe->inode &&
	    offset_to_vaddr(vma, uprobe->offset) == info->vaddr)
		ret = is_register ? set_swbp(uprobe, vma, info->vaddr) :
				    set_orig_insn(uprobe, vma, info->vaddr);
	mmap_write_unlock(mm);
	return ret;
}

/*
 * 0 or -errno; if they are taken away, how many were there, or -ENOMEM: there
 * may be more.
 */
static int register_for_each_vma(struct uprobe *uprobe, bool is_register)
{
	struct map_info *maps;
	int n = build_map_info(uprobe, &maps, is_register);
	int ret, done = 0;

	if (n <= 0)
		return n;
	for (int i = 0; i < n; i++) {
		ret = change_breakpoint(uprobe, &maps[i], is_register);
		if (ret < 0 && (is_register || ret == -ENOMEM)) {
			done = ret;
			break;
		}
		done += ret > 0;
	}
	put_maps(maps, n);
	return is_register && done > 0 ? 0 : done;
}

/*
 * A fork may copy a breakpoint while we take its original away. It has ended
 * before we do that; so whoever has a copy is found the next time.
 */
static void remove_breakpoints(struct uprobe *uprobe)
{
	int ret;

	do {
		ret = register_for_each_vma(uprobe, false);
		if (ret == -ENOMEM)
			schedule_timeout_uninterruptible(1);
	} while (ret);
}

static void consumer_add(struct uprobe *uprobe, struct uprobe_consumer *uc)
{
	down_write(&uprobe->register_rwsem);
	uc->next = uprobe->consumers;
	WRITE_ONCE(uprobe->consumers, uc);
	up_write(&uprobe->register_rwsem);
}

/* When this returns, nobody calls it any more. */
static void consumer_del(struct uprobe *uprobe, struct uprobe_consumer *uc)
{
	struct uprobe_consumer **con = &uprobe->consumers;

	down_write(&uprobe->register_rwsem);
	while (*con != uc)
		con = &(*con)->next;
	WRITE_ONCE(*con, uc->next);
	up_write(&uprobe->register_rwsem);
}

static void __uprobe_unregister(struct uprobe *uprobe,
				struct uprobe_consumer *uc)
{
	consumer_del(uprobe, uc);
	if (uprobe->consumers)
		return;
	remove_breakpoints(uprobe);
	delete_uprobe(uprobe);
}

int uprobe_register(struct inode *inode, loff_t offset, loff_t ref_ctr_offset,
		    struct uprobe_consumer *uc)
{
	struct uprobe *uprobe;
	int err;

	if (!inode->i_mapping->a_ops->read_folio)
		return -EIO;
	if (offset < 0 || offset > i_size_read(inode) ||
	    offset % UPROBE_SWBP_INSN_SIZE || ref_ctr_offset < 0 ||
	    ref_ctr_offset % sizeof(short))
		return -EINVAL;
	uprobe = find_uprobe(inode, offset);
	if (!uprobe) {
		uprobe = alloc_uprobe(inode, offset, ref_ctr_offset);
		if (IS_ERR(uprobe))
			return PTR_ERR(uprobe);
		refcount_inc(&uprobe->ref);
	}
	if (uprobe->ref_ctr_offset != ref_ctr_offset) {
		put_uprobe(uprobe);
		return -EINVAL;
	}
	consumer_add(uprobe, uc);
	err = register_for_each_vma(uprobe, true);
	if (err)
		__uprobe_unregister(uprobe, uc);
	put_uprobe(uprobe);
	return err;
}

void uprobe_unregister(struct inode *inode, loff_t offset,
		       struct uprobe_consumer *uc)
{
	struct uprobe *uprobe = find_uprobe(inode, offset);

	if (!uprobe)
		return;
	__uprobe_unregister(uprobe, uc);
	put_uprobe(uprobe);
}

/* Those that the area shows, each with a reference. */
static void build_probe_list(const struct vm_area_struct *vma,
			     struct list_head *head)
{
	struct inode *inode = file_inode(vma->vm_file);
	struct uprobe *uprobe;
	struct rb_node *node;

	spin_lock(&uprobes_treelock);
	uprobe = first_uprobe(inode, (loff_t)vma->vm_pgoff << PAGE_SHIFT);
	while (uprobe && uprobe->inode == inode &&
	       vma_has_offset(vma, uprobe->offset)) {
		list_add_tail(&uprobe->pending_list, head);
		refcount_inc(&uprobe->ref);
		node = rb_next(&uprobe->rb_node);
		uprobe = node ? rb_entry(node, struct uprobe, rb_node) : NULL;
	}
	spin_unlock(&uprobes_treelock);
}

/*
 * Without memory for a breakpoint the mapping is there all the same. Who takes
 * a probe away has no consumers when it looks for areas, and this area is
 * linked before we look for consumers.
 */
void __uprobe_mmap(struct vm_area_struct *vma)
{
	struct uprobe *uprobe, *next;
	LIST_HEAD(pending);

	if (!vma || !vma->vm_file)
		return;
	if ((vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE)
		delayed_ref_ctr_inc(vma);
	if (!valid_vma(vma, true))
		return;
	mutex_lock(&uprobes_mmap_mutex);
	build_probe_list(vma, &pending);
	list_for_each_entry_safe(uprobe, next, &pending, pending_list) {
		if (READ_ONCE(uprobe->consumers))
			set_swbp(uprobe, vma,
				 offset_to_vaddr(vma, uprobe->offset));
		list_del(&uprobe->pending_list);
		put_uprobe(uprobe);
	}
	mutex_unlock(&uprobes_mmap_mutex);
}

/*
 * The child has the parent's breakpoints, but for those that came in the
 * meantime.
 */
int __uprobe_dup_mmap(struct mm_struct *oldmm, struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	int err = 0;

	mmap_write_lock(mm);
	if (oldmm->uprobes_state.has_uprobes) {
		mm->uprobes_state.has_uprobes = true;
		err = xol_dup_areas(oldmm, mm);
	}
	if (!err)
		list_for_each_entry(vma, &mm->mmap, vm_node)
			uprobe_mmap(vma);
	mmap_write_unlock(mm);
	return err;
}

void __uprobe_clear_state(struct mm_struct *mm)
{
	delayed_uprobe_remove(NULL, mm);
	xol_free_areas(mm);
}

/* NULL if there is none; then *@is_swbp: the program's own breakpoint. */
static struct uprobe *find_active_uprobe(unsigned long vaddr, bool *is_swbp)
{
	struct mm_struct *mm = current->mm;
	struct uprobe *uprobe = NULL;
	struct vm_area_struct *vma;

	*is_swbp = false;
	mmap_read_lock(mm);
	vma = find_vma(mm, vaddr);
	if (vma && vma->vm_start <= vaddr) {
		if (valid_vma(vma, false))
			uprobe = find_uprobe(file_inode(vma->vm_file),
					     vaddr_to_offset(vma, vaddr));
		if (!uprobe)
			*is_swbp = is_swbp_at_addr(vma, vaddr) > 0;
	}
	mmap_read_unlock(mm);
	return uprobe;
}

static void handler_chain(struct uprobe *uprobe, struct pt_regs *regs)
{
	struct uprobe_consumer *uc;
	bool need_prep = false;

	down_read(&uprobe->register_rwsem);
	for (uc = uprobe->consumers; uc; uc = uc->next) {
		if (uc->handler)
			uc->handler(uc, regs);
		if (uc->ret_handler)
			need_prep = true;
	}
	if (need_prep)
		prepare_uretprobe(uprobe, regs);
	up_read(&uprobe->register_rwsem);
}

void arch_uprobe_pre_xol(struct pt_regs *regs, unsigned long xol_vaddr)
{
	instruction_pointer_divert(regs, xol_vaddr);
}

/* The program goes on behind the instruction, or in a copy of it. */
static void pre_ssout(struct uprobe *uprobe, struct pt_regs *regs,
		      unsigned long vaddr)
{
	unsigned long xol_vaddr;
	bool failed = false;

	if (arch_uprobe_skip_sstep(&uprobe->arch, regs, &failed)) {
		if (failed)
			force_sig(SIGSEGV);
		return;
	}
	xol_vaddr = xol_get_insn_slot(uprobe, vaddr);
	if (xol_vaddr)
		arch_uprobe_pre_xol(regs, xol_vaddr);
	else if (!fatal_signal_pending(current))
		force_sig(SIGILL);
}

static void handle_swbp(struct pt_regs *regs)
{
	unsigned long vaddr = breakpoint_address(regs);
	struct uprobe *uprobe;
	bool is_swbp;

	if (is_xol_trampoline(current->mm, vaddr)) {
		handle_trampoline(regs);
		return;
	}
	uprobe = find_active_uprobe(vaddr, &is_swbp);
	if (!uprobe) {
		/* One that has just gone: what is there now is executed. */
		if (is_swbp)
			arch_uprobe_unknown_swbp(regs);
		else
			instruction_pointer_divert(regs, vaddr);
		return;
	}
	instruction_pointer_divert(regs, vaddr);
	handler_chain(uprobe, regs);
	pre_ssout(uprobe, regs, vaddr);
	put_uprobe(uprobe);
}

bool uprobe_pre_sstep_notifier(struct pt_regs *regs)
{
	if (!current->mm || !current->mm->uprobes_state.has_uprobes)
		return false;
	set_bit(TIF_UPROBE, &current->thread_info_flags);
	return true;
}

void uprobe_notify_resume(struct pt_regs *regs)
{
	clear_bit(TIF_UPROBE, &current->thread_info_flags);
	if (!arch_uprobe_begin())
		handle_swbp(regs);
}
