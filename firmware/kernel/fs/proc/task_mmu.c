/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's address space: its areas, and what of them is present. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <asm/vdso.h>

#include "base.h"
#include "internal.h"

/* Where names begin: after what 64-bit addresses need. */
#define MAPS_NAME_COLUMN	(25 + sizeof(void *) * 6 - 1)

/* With a reference; NULL for kernel threads, and once the program has ended. */
struct mm_struct *get_task_mm(struct task_struct *task)
{
	struct mm_struct *mm = NULL;

	task_lock(task);
	if (task->mm && !(task->flags & PF_KTHREAD)) {
		mm = task->mm;
		atomic_inc(&mm->mm_users);
	}
	task_unlock(task);
	return mm;
}

void proc_mm_usage(struct mm_struct *mm, struct proc_mm_usage *usage)
{
	struct vm_area_struct *vma;

	memset(usage, 0, sizeof(*usage));
	usage->rss = get_mm_rss(mm);
	usage->rss_file = mm->rss_file;
	mmap_read_lock(mm);
	list_for_each_entry(vma, &mm->mmap, vm_node) {
		unsigned long pages = (vma->vm_end - vma->vm_start) >>
				      PAGE_SHIFT;

		if (vma->vm_flags & VM_GROWSDOWN)
			usage->stack += pages;
		else if ((vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE)
			usage->data += pages;
		else if ((vma->vm_flags & (VM_EXEC | VM_WRITE)) == VM_EXEC)
			usage->text += pages;
	}
	mmap_read_unlock(mm);
}

/* The position is the address up to which areas have been shown. */
static void *m_start(struct seq_file *m, loff_t *pos)
{
	struct mm_struct *mm;
	struct task_struct *task = get_proc_task(m->private);
	struct vm_area_struct *vma;

	if (!task)
		return ERR_PTR(-ESRCH);
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return NULL;
	mmap_read_lock(mm);
	vma = find_vma(mm, *pos);
	if (!vma) {
		mmap_read_unlock(mm);
		mmput(mm);
	}
	return vma;
}

static void *m_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct vm_area_struct *vma = v;
	struct mm_struct *mm = vma->vm_mm;

	*pos = vma->vm_end;
	if (!list_is_last(&vma->vm_node, &mm->mmap))
		return list_next_entry(vma, vm_node);
	mmap_read_unlock(mm);
	mmput(mm);
	return NULL;
}

static void m_stop(struct seq_file *m, void *v)
{
	struct vm_area_struct *vma = v;

	if (!IS_ERR_OR_NULL(vma)) {
		struct mm_struct *mm = vma->vm_mm;

		mmap_read_unlock(mm);
		mmput(mm);
	}
}

static const char *special_name(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_start <= mm->brk && vma->vm_end > mm->start_brk &&
	    mm->start_brk != mm->brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end > mm->start_stack)
		return "[stack]";
	if (is_xol_vma(vma))
		return "[uprobes]";
	return arch_vma_name(vma);
}

static int show_map(struct seq_file *m, void *v)
{
	struct vm_area_struct *vma = v;
	struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
	dev_t dev = inode ? inode->i_sb->s_dev : 0;
	const char *name = special_name(vma);

	seq_setwidth(m, MAPS_NAME_COLUMN);
	seq_printf(m, "%08lx-%08lx %c%c%c%c %08lx %02x:%02x %lu ",
		   vma->vm_start, vma->vm_end,
		   vma->vm_flags & VM_READ ? 'r' : '-',
		   vma->vm_flags & VM_WRITE ? 'w' : '-',
		   vma->vm_flags & VM_EXEC ? 'x' : '-',
		   vma->vm_flags & VM_SHARED ? 's' : 'p',
		   inode ? vma->vm_pgoff << PAGE_SHIFT : 0,
		   MAJOR(dev), MINOR(dev), inode ? inode->i_ino : 0);
	if (inode) {
		seq_pad(m, ' ');
		seq_path(m, &vma->vm_file->f_path, "\n");
	} else if (name) {
		seq_pad(m, ' ');
		seq_puts(m, name);
	}
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations proc_pid_maps_op = {
	.start	= m_start,
	.next	= m_next,
	.stop	= m_stop,
	.show	= show_map,
};

static int pid_maps_open(struct inode *inode, struct file *file)
{
	int err = seq_open(file, &proc_pid_maps_op);

	if (!err)
		((struct seq_file *)file->private_data)->private = inode;
	return err;
}

const struct file_operations proc_pid_maps_operations = {
	.open		= pid_maps_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= seq_release,
};
