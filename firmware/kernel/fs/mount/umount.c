/* SPDX-License-Identifier: GPL-2.0-only */
/* umount2(2): taking mounts out of the tree. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/syscalls.h>

#include "mount.h"

#define MNT_UMOUNT_FLAGS	(MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW)

/* There must be a root: it only becomes read-only. */
static int do_umount_root(struct super_block *sb)
{
	int err = 0;

	down_write(&sb->s_umount);
	if (!sb_rdonly(sb))
		err = do_remount_sb(sb, sb->s_flags | SB_RDONLY, NULL);
	up_write(&sb->s_umount);
	return err;
}

static inline bool is_root_of_caller(const struct mount *mnt)
{
	struct path root;
	bool is;

	get_fs_root(current->fs, &root);
	is = root.mnt == &mnt->mnt;
	path_put(&root);
	return is;
}

/* @known: references that are nobody's use. The tree's own is one. */
static inline bool mount_busy(const struct mount *mnt, int known)
{
	return atomic_read(&mnt->mnt_count) > known;
}

/* What was mounted because somebody walked into it goes without being asked. */
static void shrink_submounts(struct mount *mnt)
{
	struct mount *p, *next;
	LIST_HEAD(gone);

	down_write(&namespace_sem);
	lock_mount_hash();
	list_for_each_entry_safe(p, next, &mnt->mnt_mounts, mnt_child) {
		if ((p->mnt.mnt_flags & MNT_SHRINKABLE) && !mount_busy(p, 1))
			umount_tree(p, &gone);
	}
	unlock_mount_hash();
	namespace_unlock(&gone);
}

/* With no lock held, and the caller's reference to @mnt; may sleep. */
static int do_umount(struct mount *mnt, int flags)
{
	struct super_block *sb = mnt->mnt.mnt_sb;
	LIST_HEAD(gone);
	int err = 0;

	if ((flags & MNT_FORCE) && sb->s_op->umount_begin)
		sb->s_op->umount_begin(sb);
	if (is_root_of_caller(mnt) && !(flags & MNT_DETACH))
		return do_umount_root(sb);

	if (!(flags & MNT_DETACH))
		shrink_submounts(mnt);
	down_write(&namespace_sem);
	lock_mount_hash();
	if (!mnt->mnt_in_tree || !mnt_has_parent(mnt))
		err = -EINVAL;
	/* The tree's reference, and the caller's. */
	else if (!(flags & MNT_DETACH) && mount_busy(mnt, 2))
		err = -EBUSY;
	else
		umount_tree(mnt, &gone);
	unlock_mount_hash();
	namespace_unlock(&gone);
	return err;
}

/* Takes over the reference to @path. */
int path_umount(struct path *path, int flags)
{
	struct mount *mnt = real_mount(path->mnt);
	int err = -EINVAL;

	if (path->dentry == path->mnt->mnt_root && mnt->mnt_in_tree)
		err = do_umount(mnt, flags);
	dput(path->dentry);
	mntput(path->mnt);
	return err;
}

static int ksys_umount(char __user *name, int flags)
{
	unsigned int lookup_flags = LOOKUP_MOUNTPOINT;
	struct path path;
	int err;

	if (flags & ~MNT_UMOUNT_FLAGS)
		return -EINVAL;
	if (!(flags & UMOUNT_NOFOLLOW))
		lookup_flags |= LOOKUP_FOLLOW;
	err = user_path_at(AT_FDCWD, name, lookup_flags, &path);
	return err ? err : path_umount(&path, flags);
}

SYSCALL_DEFINE2(umount, char __user *, name, int, flags)
{
	return ksys_umount(name, flags);
}
