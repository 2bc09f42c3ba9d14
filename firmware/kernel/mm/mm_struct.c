/* SPDX-License-Identifier: GPL-2.0-only */
/* The life of address spaces. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/fs.h>
#include <linux/file.h>
#include <linux/futex.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tlbflush.h>
#include <linux/uprobes.h>
#include <asm/cacheflush.h>
#include "internal.h"

/* The kernel's own: what CPUs load when they have nothing else. */
struct mm_struct init_mm = {
	.pgd = swapper_pg_dir,
	.mm_users = ATOMIC_INIT(2),
	.mm_count = ATOMIC_INIT(1),
	.mmap = LIST_HEAD_INIT(init_mm.mmap),
	.mmap_lock = __RWSEM_INITIALIZER(init_mm.mmap_lock),
};

static struct kmem_cache *mm_cachep;

void __init mm_cache_init(void)
{
	mm_cachep = KMEM_CACHE(mm_struct, SLAB_PANIC);
}

static int mm_init_new(struct mm_struct *mm)
{
	INIT_LIST_HEAD(&mm->mmap);
	mm->map_count = 0;
	atomic_set(&mm->mm_users, 1);
	atomic_set(&mm->mm_count, 1);
	init_rwsem(&mm->mmap_lock);
	spin_lock_init(&mm->page_table_lock);
	memset(&mm->cpu_bitmap, 0, sizeof(mm->cpu_bitmap));
	mm->context.tlb_gen = 1;
	mm->pgd = pgd_alloc();
	return mm->pgd ? 0 : -ENOMEM;
}

struct mm_struct *mm_alloc(void)
{
	struct mm_struct *mm = kmem_cache_zalloc(mm_cachep, GFP_KERNEL);

	if (mm && mm_init_new(mm)) {
		kmem_cache_free(mm_cachep, mm);
		mm = NULL;
	}
	return mm;
}

void __mmdrop(struct mm_struct *mm)
{
	pgd_free(mm->pgd);
	kmem_cache_free(mm_cachep, mm);
}

/*
 * All areas, and the page tables that they needed. Nobody uses the address
 * space any more; may sleep.
 */
void exit_mmap(struct mm_struct *mm)
{
	struct vm_area_struct *vma, *next;
	struct mmu_gather tlb;

	tlb_gather_mmu(&tlb, mm);
	unmap_vmas(&tlb, &mm->mmap);
	free_pgtables(&tlb, &mm->mmap, 0, 0);
	tlb_finish_mmu(&tlb);
	list_for_each_entry_safe(vma, next, &mm->mmap, vm_node) {
		unlink_vma(vma);
		remove_vma(vma);
	}
}

/*
 * May sleep: the last user frees what is mapped, and the last reference the
 * rest.
 */
void mmput(struct mm_struct *mm)
{
	if (!atomic_dec_and_test(&mm->mm_users))
		return;
	uprobe_clear_state(mm);
	exit_mmap(mm);
	mmdrop(mm);
}

/* Areas and page tables; what is written from now on is copied first. */
static int dup_mmap(struct mm_struct *mm, struct mm_struct *oldmm)
{
	struct vm_area_struct *mpnt, *tmp;
	int err = 0;

	mmap_write_lock(oldmm);
	flush_cache_dup_mm(oldmm);
	arch_dup_mmap(oldmm, mm);
	list_for_each_entry(mpnt, &oldmm->mmap, vm_node) {
		tmp = vm_area_dup(mm, mpnt);
		if (!tmp) {
			err = -ENOMEM;
			break;
		}
		insert_vm_struct(mm, tmp);
		err = copy_page_range(tmp, mpnt);
		if (err)
			break;
	}
	/* The parent's writable entries have become read-only. */
	flush_tlb_mm(oldmm);
	if (!err)
		err = uprobe_dup_mmap(oldmm, mm);
	mmap_write_unlock(oldmm);
	return err;
}

static void copy_mm_layout(struct mm_struct *mm, const struct mm_struct *oldmm)
{
	mm->start_code = oldmm->start_code;
	mm->end_code = oldmm->end_code;
	mm->start_data = oldmm->start_data;
	mm->end_data = oldmm->end_data;
	mm->start_brk = oldmm->start_brk;
	mm->brk = oldmm->brk;
	mm->start_stack = oldmm->start_stack;
	mm->arg_start = oldmm->arg_start;
	mm->arg_end = oldmm->arg_end;
	mm->env_start = oldmm->env_start;
	mm->env_end = oldmm->env_end;
}

struct mm_struct *dup_mm(struct mm_struct *oldmm)
{
	struct mm_struct *mm = mm_alloc();

	if (!mm)
		return NULL;
	copy_mm_layout(mm, oldmm);
	uprobe_start_dup_mmap(mm);
	if (dup_mmap(mm, oldmm)) {
		mmput(mm);
		return NULL;
	}
	return mm;
}

/*
 * The running task goes on in another address space, and leaves its own. Called
 * with no lock held; the reference to @mm becomes the task's.
 */
void exec_mmap(struct mm_struct *mm)
{
	struct task_struct *p = current;
	struct mm_struct *old_mm = p->mm, *active_mm;

	exit_robust_list(p);
	mm_release(p, old_mm);
	task_lock(p);
	local_irq_disable();
	active_mm = p->active_mm;
	p->active_mm = mm;
	p->mm = mm;
	switch_mm_irqs_off(active_mm, mm, p);
	local_irq_enable();
	task_unlock(p);
	if (old_mm) {
		setmax_mm_hiwater_rss(&p->signal->usage.maxrss, old_mm);
		mmput(old_mm);
	} else {
		mmdrop(active_mm);
	}
}
