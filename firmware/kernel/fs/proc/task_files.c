/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's arguments and environment, its name, and where it is. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "base.h"
#include "internal.h"

/* Copies from an address space to a user; how much, or -errno. */
static ssize_t copy_from_mm(struct mm_struct *mm, unsigned long from,
			    char __user *buf, size_t count)
{
	ssize_t done = 0;

	while (count) {
		size_t offset = offset_in_page(from);
		size_t n = min(count, PAGE_SIZE - offset);
		struct page *page;
		unsigned long left;
		long got;

		mmap_read_lock(mm);
		got = get_user_pages_remote(mm, from & PAGE_MASK, 1, 0, &page);
		mmap_read_unlock(mm);
		if (got <= 0)
			return done;
		left = copy_to_user(buf, page_address(page) + offset, n);
		put_page(page);
		if (left == n)
			return done ? done : -EFAULT;
		done += n - left;
		from += n;
		buf += n;
		count -= n;
	}
	return done;
}

/* The part at *pos of [start, end) in the task's memory. */
static ssize_t read_range(struct file *file, char __user *buf, size_t count,
			  loff_t *pos, bool env)
{
	struct task_struct *task = get_proc_task(file_inode(file));
	unsigned long start, end;
	struct mm_struct *mm;
	ssize_t ret = 0;

	if (!task)
		return -ESRCH;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return 0;
	start = env ? mm->env_start : mm->arg_start;
	end = env ? mm->env_end : mm->arg_end;
	if (end > start && *pos >= 0 && *pos < end - start) {
		ret = copy_from_mm(mm, start + *pos, buf,
				   min_t(size_t, count, end - start - *pos));
		if (ret > 0)
			*pos += ret;
	}
	mmput(mm);
	return ret;
}

static ssize_t proc_pid_cmdline_read(struct file *file, char __user *buf,
				     size_t count, loff_t *pos)
{
	return read_range(file, buf, count, pos, false);
}

const struct file_operations proc_pid_cmdline_ops = {
	.read	= proc_pid_cmdline_read,
	.llseek	= generic_file_llseek,
};

static ssize_t environ_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	return read_range(file, buf, count, pos, true);
}

const struct file_operations proc_environ_operations = {
	.read	= environ_read,
	.llseek	= generic_file_llseek,
};

static int comm_show(struct seq_file *m, void *v)
{
	struct task_struct *task = get_proc_task(m->private);

	if (!task)
		return -ESRCH;
	seq_printf(m, "%s\n", task->comm);
	put_task_struct(task);
	return 0;
}

static int comm_open(struct inode *inode, struct file *file)
{
	return single_open(file, comm_show, inode);
}

/* Threads of the same process only. */
static ssize_t comm_write(struct file *file, const char __user *buf,
			  size_t count, loff_t *pos)
{
	struct task_struct *task;
	char comm[TASK_COMM_LEN] = {};
	ssize_t ret = count;

	if (copy_from_user(comm, buf, min(count, sizeof(comm) - 1)))
		return -EFAULT;
	task = get_proc_task(file_inode(file));
	if (!task)
		return -ESRCH;
	if (same_thread_group(current, task))
		set_task_comm(task, comm);
	else
		ret = -EINVAL;
	put_task_struct(task);
	return ret;
}

const struct file_operations proc_pid_set_comm_operations = {
	.open		= comm_open,
	.read_iter	= seq_read_iter,
	.write		= comm_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int get_task_path(struct task_struct *task, struct path *path, bool root)
{
	int err = -ENOENT;

	task_lock(task);
	if (task->fs) {
		if (root)
			get_fs_root(task->fs, path);
		else
			get_fs_pwd(task->fs, path);
		err = 0;
	}
	task_unlock(task);
	return err;
}

static int fs_link(struct dentry *dentry, struct path *path, bool root)
{
	struct task_struct *task = get_proc_task(d_inode(dentry));
	int err;

	if (!task)
		return -ENOENT;
	err = get_task_path(task, path, root);
	put_task_struct(task);
	return err;
}

int proc_cwd_link(struct dentry *dentry, struct path *path)
{
	return fs_link(dentry, path, false);
}

int proc_root_link(struct dentry *dentry, struct path *path)
{
	return fs_link(dentry, path, true);
}

/* The file that the program's code is mapped from. */
int proc_exe_link(struct dentry *dentry, struct path *path)
{
	struct task_struct *task = get_proc_task(d_inode(dentry));
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	int err = -ENOENT;

	if (!task)
		return err;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return err;
	mmap_read_lock(mm);
	vma = find_vma(mm, mm->start_code);
	if (vma && vma->vm_start <= mm->start_code && vma->vm_file) {
		*path = vma->vm_file->f_path;
		path_get(path);
		err = 0;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return err;
}

int readlink_path(const struct path *path, char __user *buf, int size)
{
	char *page = (char *)__get_free_page(GFP_KERNEL), *name;
	int len;

	if (!page)
		return -ENOMEM;
	name = d_path(path, page, PAGE_SIZE);
	len = PTR_ERR_OR_ZERO(name);
	if (!len) {
		len = min_t(int, size, strlen(name));
		if (copy_to_user(buf, name, len))
			len = -EFAULT;
	}
	free_page((unsigned long)page);
	return len;
}

static int mounts_open_as(struct inode *inode, struct file *file,
			  int (*show)(struct seq_file *m, struct mount *mnt))
{
	struct task_struct *task = get_proc_task(inode);
	struct path root;
	int err;

	if (!task)
		return -EINVAL;
	err = get_task_path(task, &root, true);
	put_task_struct(task);
	return err ? -EINVAL : mounts_open_common(file, root, show);
}

static int mounts_open(struct inode *inode, struct file *file)
{
	return mounts_open_as(inode, file, show_vfsmnt);
}

static int mountinfo_open(struct inode *inode, struct file *file)
{
	return mounts_open_as(inode, file, show_mountinfo);
}

const struct file_operations proc_mounts_operations = {
	.open		= mounts_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= mounts_release,
};

const struct file_operations proc_mountinfo_operations = {
	.open		= mountinfo_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= mounts_release,
};
