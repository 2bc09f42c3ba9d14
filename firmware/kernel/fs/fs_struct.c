/* SPDX-License-Identifier: GPL-2.0-only */
/* A process's root, working directory and umask. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "internal.h"

struct fs_struct init_fs = {
	.users	= ATOMIC_INIT(1),
	.lock	= __SPIN_LOCK_UNLOCKED,
	.umask	= 0022,
};

static struct kmem_cache *fs_cachep;

static inline void copy_path(struct fs_struct *fs, struct path *to,
			     const struct path *from)
{
	spin_lock(&fs->lock);
	*to = *from;
	path_get(to);
	spin_unlock(&fs->lock);
}

void get_fs_root(struct fs_struct *fs, struct path *root)
{
	copy_path(fs, root, &fs->root);
}

void get_fs_pwd(struct fs_struct *fs, struct path *pwd)
{
	copy_path(fs, pwd, &fs->pwd);
}

/* An empty place (init_fs starts with them) has nothing to put. */
static inline void replace_path(struct fs_struct *fs, struct path *place,
				const struct path *path)
{
	struct path old;

	path_get(path);
	spin_lock(&fs->lock);
	old = *place;
	*place = *path;
	spin_unlock(&fs->lock);
	path_put(&old);
}

void set_fs_root(struct fs_struct *fs, const struct path *path)
{
	replace_path(fs, &fs->root, path);
}

void set_fs_pwd(struct fs_struct *fs, const struct path *path)
{
	replace_path(fs, &fs->pwd, path);
}

struct fs_struct *copy_fs_struct(struct fs_struct *old)
{
	struct fs_struct *fs = kmem_cache_alloc(fs_cachep, GFP_KERNEL);

	if (!fs)
		return NULL;
	atomic_set(&fs->users, 1);
	spin_lock_init(&fs->lock);

	spin_lock(&old->lock);
	fs->umask = old->umask;
	fs->root = old->root;
	path_get(&fs->root);
	fs->pwd = old->pwd;
	path_get(&fs->pwd);
	spin_unlock(&old->lock);
	return fs;
}

void free_fs_struct(struct fs_struct *fs)
{
	if (!atomic_dec_and_test(&fs->users))
		return;
	path_put(&fs->root);
	path_put(&fs->pwd);
	if (fs != &init_fs)
		kmem_cache_free(fs_cachep, fs);
}

void exit_fs(struct task_struct *tsk)
{
	struct fs_struct *fs = tsk->fs;

	if (fs) {
		task_lock(tsk);
		tsk->fs = NULL;
		task_unlock(tsk);
		free_fs_struct(fs);
	}
}

umode_t current_umask(void)
{
	return current->fs->umask;
}

SYSCALL_DEFINE1(umask, int, mask)
{
	struct fs_struct *fs = current->fs;
	umode_t old;

	spin_lock(&fs->lock);
	old = fs->umask;
	fs->umask = mask & S_IRWXUGO;
	spin_unlock(&fs->lock);
	return old;
}

/* Inline: what a traced system call calls is in its own name. */
static inline int change_dir(const char __user *filename,
			     void (*set)(struct fs_struct *,
					 const struct path *))
{
	struct path path;
	int err;

	err = user_path_at(AT_FDCWD, filename,
			   LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (err)
		return err;
	err = inode_permission(d_inode(path.dentry), MAY_EXEC | MAY_CHDIR);
	if (!err)
		set(current->fs, &path);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE1(chdir, const char __user *, filename)
{
	return change_dir(filename, set_fs_pwd);
}

SYSCALL_DEFINE1(fchdir, unsigned int, fd)
{
	struct fd f = fdget_raw(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = -ENOTDIR;
	if (S_ISDIR(file_inode(f.file)->i_mode)) {
		err = inode_permission(file_inode(f.file),
				       MAY_EXEC | MAY_CHDIR);
		if (!err)
			set_fs_pwd(current->fs, &f.file->f_path);
	}
	fdput(f);
	return err;
}

SYSCALL_DEFINE1(chroot, const char __user *, filename)
{
	return change_dir(filename, set_fs_root);
}

void fs_struct_init(void)
{
	fs_cachep = KMEM_CACHE(fs_struct, SLAB_PANIC);
}
