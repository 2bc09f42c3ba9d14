/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a process is in the tree of names. */
#ifndef _LINUX_FS_STRUCT_H
#define _LINUX_FS_STRUCT_H

#include <linux/atomic.h>
#include <linux/path.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct task_struct;

struct fs_struct {
	atomic_t	users;
	spinlock_t	lock;	/* protects the rest */
	umode_t		umask;
	struct path	root;
	struct path	pwd;
};

extern struct fs_struct init_fs;

struct fs_struct *copy_fs_struct(struct fs_struct *old);
void free_fs_struct(struct fs_struct *fs);
void exit_fs(struct task_struct *tsk);

void get_fs_root(struct fs_struct *fs, struct path *root);
void get_fs_pwd(struct fs_struct *fs, struct path *pwd);
void set_fs_root(struct fs_struct *fs, const struct path *path);
void set_fs_pwd(struct fs_struct *fs, const struct path *path);
umode_t current_umask(void);

#endif
