/* SPDX-License-Identifier: GPL-2.0-only */
/* Who writes through a mount, and making mounts read-only. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>

#include "mount.h"

bool __mnt_is_readonly(const struct vfsmount *mnt)
{
	return (READ_ONCE(mnt->mnt_flags) & MNT_READONLY) ||
	       sb_rdonly(mnt->mnt_sb);
}

/*
 * Counts first and looks then, while who makes the mount read-only says so
 * first and looks at the count then.
 */
int __mnt_want_write(struct vfsmount *mnt)
{
	atomic_inc(&real_mount(mnt)->mnt_writers);
	if (__mnt_is_readonly(mnt) ||
	    READ_ONCE(mnt->mnt_sb->s_readonly_remount)) {
		__mnt_drop_write(mnt);
		return -EROFS;
	}
	return 0;
}

void __mnt_drop_write(struct vfsmount *mnt)
{
	atomic_dec(&real_mount(mnt)->mnt_writers);
}

int mnt_want_write(struct vfsmount *mnt)
{
	return __mnt_want_write(mnt);
}

void mnt_drop_write(struct vfsmount *mnt)
{
	__mnt_drop_write(mnt);
}

/* With mount_lock held. */
int mnt_make_readonly(struct mount *mnt)
{
	WRITE_ONCE(mnt->mnt.mnt_flags, mnt->mnt.mnt_flags | MNT_READONLY);
	smp_mb();
	if (atomic_read(&mnt->mnt_writers)) {
		mnt->mnt.mnt_flags &= ~MNT_READONLY;
		return -EBUSY;
	}
	return 0;
}

/* From here on nobody can begin to write, until s_readonly_remount is 0. */
int sb_prepare_remount_readonly(struct super_block *sb)
{
	struct mount *mnt;
	int err = 0;

	lock_mount_hash();
	WRITE_ONCE(sb->s_readonly_remount, 1);
	smp_mb();
	list_for_each_entry(mnt, &sb->s_mounts, mnt_instance)
		if (atomic_read(&mnt->mnt_writers))
			err = -EBUSY;
	if (err)
		WRITE_ONCE(sb->s_readonly_remount, 0);
	unlock_mount_hash();
	return err;
}
