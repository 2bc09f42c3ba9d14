/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID/fd: a link for each open file. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "base.h"
#include "internal.h"

#define PROC_FD_INO(pid, fd)	(((unsigned long)(pid) << 16) + 0x1000 + (fd))

/* The task's file at @fd, or the next one above if @next; *fd becomes its. */
static struct file *task_file(struct task_struct *task, unsigned int *fd,
			      bool next)
{
	struct files_struct *files;
	struct file *file = NULL;

	task_lock(task);
	files = task->files;
	if (files) {
		spin_lock(&files->file_lock);
		while (*fd < files->fdt.max_fds) {
			file = files->fdt.fd[*fd];
			if (file || !next)
				break;
			++*fd;
		}
		if (file)
			get_file(file);
		spin_unlock(&files->file_lock);
	}
	task_unlock(task);
	return file;
}

/* What a link says of how the file is open. */
static umode_t link_mode(const struct file *file)
{
	umode_t mode = S_IFLNK;

	if (file->f_mode & FMODE_READ)
		mode |= 0500;
	if (file->f_mode & FMODE_WRITE)
		mode |= 0300;
	return mode;
}

static int tid_fd_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct inode *inode = d_inode(dentry);
	struct task_struct *task = get_proc_task(inode);
	unsigned int fd = PROC_I(inode)->fd;
	struct file *file = NULL;

	if (!task)
		return 0;
	file = task_file(task, &fd, false);
	put_task_struct(task);
	if (!file)
		return 0;
	inode->i_mode = link_mode(file);
	fput(file);
	return 1;
}

static int tid_fd_delete(const struct dentry *dentry)
{
	return 1;
}

static const struct dentry_operations tid_fd_dentry_operations = {
	.d_revalidate	= tid_fd_revalidate,
	.d_delete	= tid_fd_delete,
};

static int proc_fd_link(struct dentry *dentry, struct path *path)
{
	struct inode *inode = d_inode(dentry);
	struct task_struct *task = get_proc_task(inode);
	unsigned int fd = PROC_I(inode)->fd;
	struct file *file;

	if (!task)
		return -ENOENT;
	file = task_file(task, &fd, false);
	put_task_struct(task);
	if (!file)
		return -ENOENT;
	*path = file->f_path;
	path_get(path);
	fput(file);
	return 0;
}

static struct dentry *proc_fd_instantiate(struct dentry *dentry,
					  struct task_struct *task,
					  const struct file *file,
					  unsigned int fd)
{
	struct inode *inode = proc_pid_make_inode(dentry->d_sb, task,
						  link_mode(file),
						  PROC_FD_INO(task->pid, fd));

	if (!inode)
		return ERR_PTR(-ENOENT);
	PROC_I(inode)->fd = fd;
	PROC_I(inode)->op.proc_get_link = proc_fd_link;
	inode->i_op = &proc_pid_link_inode_operations;
	inode->i_size = 64;
	d_set_d_op(dentry, &tid_fd_dentry_operations);
	return d_splice_alias(inode, dentry);
}

static struct dentry *proc_lookupfd(struct inode *dir, struct dentry *dentry,
				    unsigned int flags)
{
	struct task_struct *task = get_proc_task(dir);
	unsigned int fd = name_to_int(&dentry->d_name);
	struct dentry *ret = ERR_PTR(-ENOENT);
	struct file *file;

	if (!task)
		return ret;
	file = fd == ~0U ? NULL : task_file(task, &fd, false);
	if (file) {
		ret = proc_fd_instantiate(dentry, task, file, fd);
		fput(file);
	}
	put_task_struct(task);
	return ret;
}

static int proc_readfd(struct file *dir, struct dir_context *ctx)
{
	struct task_struct *task = get_proc_task(file_inode(dir));
	struct file *file;
	unsigned int fd;
	char name[16];
	int len;

	if (!task)
		return -ENOENT;
	if (!dir_emit_dots(dir, ctx))
		goto out;
	for (fd = ctx->pos - 2; (file = task_file(task, &fd, true)); fd++) {
		fput(file);
		len = snprintf(name, sizeof(name), "%u", fd);
		ctx->pos = fd + 2;
		if (!dir_emit(ctx, name, len, PROC_FD_INO(task->pid, fd),
			      S_IFLNK >> 12))
			goto out;
	}
	ctx->pos = fd + 2;
out:
	put_task_struct(task);
	return 0;
}

const struct file_operations proc_fd_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_readfd,
	.llseek		= generic_file_llseek,
};

const struct inode_operations proc_fd_inode_operations = {
	.lookup		= proc_lookupfd,
	.setattr	= proc_setattr,
};
