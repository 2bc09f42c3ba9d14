/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID/fd: a link for each open file; fdinfo: what each is doing. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "../mount/mount.h"
#include "base.h"
#include "internal.h"

/* Of inode numbers; NR_OPEN_MAX is less. */
#define PROC_FD		0x1000
#define PROC_FDINFO	0x2000
#define PROC_FD_INO(pid, kind, fd)	\
	(((unsigned long)(pid) << 16) + (kind) + (fd))

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
	if (S_ISLNK(inode->i_mode))
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
						  PROC_FD_INO(task->pid,
							      PROC_FD, fd));

	if (!inode)
		return ERR_PTR(-ENOENT);
	PROC_I(inode)->fd = fd;
	PROC_I(inode)->op.proc_get_link = proc_fd_link;
	inode->i_op = &proc_pid_link_inode_operations;
	inode->i_size = 64;
	d_set_d_op(dentry, &tid_fd_dentry_operations);
	return d_splice_alias(inode, dentry);
}

typedef struct dentry *instantiate_t(struct dentry *dentry,
				     struct task_struct *task,
				     const struct file *file, unsigned int fd);

static struct dentry *proc_lookupfd_common(struct inode *dir,
					   struct dentry *dentry,
					   instantiate_t *instantiate)
{
	struct task_struct *task = get_proc_task(dir);
	unsigned int fd = name_to_int(&dentry->d_name);
	struct dentry *ret = ERR_PTR(-ENOENT);
	struct file *file;

	if (!task)
		return ret;
	file = fd == ~0U ? NULL : task_file(task, &fd, false);
	if (file) {
		ret = instantiate(dentry, task, file, fd);
		fput(file);
	}
	put_task_struct(task);
	return ret;
}

static struct dentry *proc_lookupfd(struct inode *dir, struct dentry *dentry,
				    unsigned int flags)
{
	return proc_lookupfd_common(dir, dentry, proc_fd_instantiate);
}

static int proc_readfd_common(struct file *dir, struct dir_context *ctx,
			      unsigned int kind, umode_t type)
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
		if (!dir_emit(ctx, name, len,
			      PROC_FD_INO(task->pid, kind, fd),
			      fs_umode_to_dtype(type)))
			goto out;
	}
	ctx->pos = fd + 2;
out:
	put_task_struct(task);
	return 0;
}

static int proc_readfd(struct file *dir, struct dir_context *ctx)
{
	return proc_readfd_common(dir, ctx, PROC_FD, S_IFLNK);
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

/* Whether exec will close it. */
static bool task_close_on_exec(struct task_struct *task, unsigned int fd)
{
	struct files_struct *files;
	bool set = false;

	task_lock(task);
	files = task->files;
	if (files) {
		spin_lock(&files->file_lock);
		set = fd < files->fdt.max_fds &&
		      test_bit(fd, files->fdt.close_on_exec);
		spin_unlock(&files->file_lock);
	}
	task_unlock(task);
	return set;
}

static int fdinfo_show(struct seq_file *m, void *v)
{
	struct inode *inode = m->private;
	struct task_struct *task = get_proc_task(inode);
	unsigned int fd = PROC_I(inode)->fd, flags;
	struct file *file;

	if (!task)
		return -ENOENT;
	file = task_file(task, &fd, false);
	if (file) {
		flags = file->f_flags & ~O_CLOEXEC;
		if (task_close_on_exec(task, fd))
			flags |= O_CLOEXEC;
		seq_printf(m, "pos:\t%lld\nflags:\t0%o\n", file->f_pos,
			   flags);
		seq_printf(m, "mnt_id:\t%i\nino:\t%lu\n",
			   real_mount(file->f_path.mnt)->mnt_id,
			   file_inode(file)->i_ino);
		fput(file);
	}
	put_task_struct(task);
	return file ? 0 : -ENOENT;
}

static int fdinfo_open(struct inode *inode, struct file *file)
{
	return single_open(file, fdinfo_show, inode);
}

static const struct file_operations proc_fdinfo_file_operations = {
	.open		= fdinfo_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct dentry *proc_fdinfo_instantiate(struct dentry *dentry,
					      struct task_struct *task,
					      const struct file *file,
					      unsigned int fd)
{
	struct inode *inode = proc_pid_make_inode(dentry->d_sb, task,
						  S_IFREG | 0444,
						  PROC_FD_INO(task->pid,
							      PROC_FDINFO, fd));

	if (!inode)
		return ERR_PTR(-ENOENT);
	PROC_I(inode)->fd = fd;
	inode->i_fop = &proc_fdinfo_file_operations;
	d_set_d_op(dentry, &tid_fd_dentry_operations);
	return d_splice_alias(inode, dentry);
}

static struct dentry *proc_lookupfdinfo(struct inode *dir,
					struct dentry *dentry,
					unsigned int flags)
{
	return proc_lookupfd_common(dir, dentry, proc_fdinfo_instantiate);
}

static int proc_readfdinfo(struct file *dir, struct dir_context *ctx)
{
	return proc_readfd_common(dir, ctx, PROC_FDINFO, S_IFREG);
}

const struct file_operations proc_fdinfo_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_readfdinfo,
	.llseek		= generic_file_llseek,
};

const struct inode_operations proc_fdinfo_inode_operations = {
	.lookup		= proc_lookupfdinfo,
	.setattr	= proc_setattr,
};
