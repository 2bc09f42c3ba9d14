/* SPDX-License-Identifier: GPL-2.0-only */
/* mount(2) and umount2(2): changing the tree of mounts. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "mount.h"

#define MNT_ATIME_MASK	(MNT_NOATIME | MNT_NODIRATIME | MNT_RELATIME)
#define MS_ATIME_MASK	(MS_NOATIME | MS_NODIRATIME | MS_RELATIME | \
			 MS_STRICTATIME)
#define MS_TYPE_MASK	(MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)

/*
 * Makes @path the top of what is mounted there, and holds it for a mount: its
 * inode's lock, so that it is not removed, and namespace_sem for writing. After
 * an error neither is held.
 */
static int lock_mount(struct path *path)
{
	struct vfsmount *mnt;

	for (;;) {
		struct inode *inode = d_inode(path->dentry);

		inode_lock(inode);
		if (cant_mount(path->dentry)) {
			inode_unlock(inode);
			return -ENOENT;
		}
		down_write(&namespace_sem);
		mnt = lookup_mnt(path);
		if (!mnt)
			return 0;
		up_write(&namespace_sem);
		inode_unlock(inode);
		path_put(path);
		path->mnt = mnt;
		path->dentry = dget(mnt->mnt_root);
	}
}

static void unlock_mount(struct path *path)
{
	up_write(&namespace_sem);
	inode_unlock(d_inode(path->dentry));
}

static inline bool check_mnt(const struct path *path)
{
	return real_mount(path->mnt)->mnt_in_tree;
}

static inline bool path_mounted(const struct path *path)
{
	return path->mnt->mnt_root == path->dentry;
}

/* Between lock_mount and unlock_mount. */
static int do_add_mount(struct mount *mnt, struct path *path, int mnt_flags)
{
	if (!check_mnt(path))
		return -EINVAL;
	/* The same thing twice at one place helps nobody. */
	if (path->mnt->mnt_sb == mnt->mnt.mnt_sb && path_mounted(path))
		return -EBUSY;
	if (S_ISLNK(d_inode(mnt->mnt.mnt_root)->i_mode))
		return -EINVAL;
	mnt->mnt.mnt_flags = mnt_flags;
	return graft_tree(mnt, path);
}

/* With no lock held; sleeps as long as the file system takes to come up. */
static int do_new_mount(struct path *path, const char *fstype, int sb_flags,
			int mnt_flags, const char *name, void *data)
{
	struct file_system_type *type;
	struct vfsmount *mnt;
	int err;

	if (!fstype)
		return -EINVAL;
	type = get_fs_type(fstype);
	if (!type)
		return -ENODEV;
	mnt = vfs_kern_mount(type, sb_flags, name, data);
	put_filesystem(type);
	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	err = lock_mount(path);
	if (!err) {
		err = do_add_mount(real_mount(mnt), path, mnt_flags);
		unlock_mount(path);
	}
	if (err)
		mntput(mnt);
	return err;
}

/* What d_automount has brought; takes over the reference to @mnt. */
int finish_automount(struct vfsmount *mnt, const struct path *where)
{
	struct path path = *where;
	int err;

	path_get(&path);
	err = lock_mount(&path);
	if (!err) {
		/* Somebody was faster: there is something to cross to. */
		if (path_equal(&path, where))
			err = do_add_mount(real_mount(mnt), &path,
					   MNT_RELATIME | MNT_SHRINKABLE);
		else
			err = -EBUSY;
		unlock_mount(&path);
	}
	if (err)
		mntput(mnt);
	path_put(&path);
	return err == -EBUSY ? 0 : err;
}

static void set_mount_attributes(struct mount *mnt, int mnt_flags)
{
	lock_mount_hash();
	mnt_flags |= mnt->mnt.mnt_flags & ~MNT_USER_SETTABLE_MASK;
	WRITE_ONCE(mnt->mnt.mnt_flags, mnt_flags);
	unlock_mount_hash();
}

static int change_mount_ro_state(struct mount *mnt, int mnt_flags)
{
	int err = 0;

	if ((mnt_flags & MNT_READONLY) &&
	    !(mnt->mnt.mnt_flags & MNT_READONLY)) {
		lock_mount_hash();
		err = mnt_make_readonly(mnt);
		unlock_mount_hash();
	}
	return err;
}

/* One mount's own flags, not those of the file system. */
static int do_reconfigure_mnt(struct path *path, int mnt_flags)
{
	struct super_block *sb = path->mnt->mnt_sb;
	struct mount *mnt = real_mount(path->mnt);
	int err;

	if (!check_mnt(path) || !path_mounted(path))
		return -EINVAL;
	down_read(&sb->s_umount);
	err = change_mount_ro_state(mnt, mnt_flags);
	if (!err)
		set_mount_attributes(mnt, mnt_flags);
	up_read(&sb->s_umount);
	return err;
}

static int do_remount(struct path *path, int sb_flags, int mnt_flags,
		      void *data)
{
	struct super_block *sb = path->mnt->mnt_sb;
	int err;

	if (!check_mnt(path) || !path_mounted(path))
		return -EINVAL;
	down_write(&sb->s_umount);
	err = do_remount_sb(sb, sb_flags, data);
	if (!err)
		set_mount_attributes(real_mount(path->mnt), mnt_flags);
	up_write(&sb->s_umount);
	return err;
}

static void forget_copies(void)
{
	struct mount *p;

	list_for_each_entry(p, &mount_list, mnt_list)
		p->mnt_copy = NULL;
}

/* Whether it lies below @from in @old, or its parent has been copied. */
static bool is_to_be_copied(const struct mount *p, const struct mount *old,
			    struct dentry *from, const struct mount *copy)
{
	/* The copy itself may lie below @from, and has what it got so far. */
	if (!mnt_has_parent(p) || p->mnt_copy || p == copy ||
	    !p->mnt_parent->mnt_copy)
		return false;
	return p->mnt_parent != old || is_subdir(p->mnt_mountpoint, from);
}

static int copy_one(struct mount *p)
{
	struct path where = {
		.mnt	= &p->mnt_parent->mnt_copy->mnt,
		.dentry	= p->mnt_mountpoint,
	};
	struct mount *q = clone_mnt(p, p->mnt.mnt_root);
	int err;

	if (IS_ERR(q))
		return PTR_ERR(q);
	err = graft_tree(q, &where);
	if (err)
		mntput(&q->mnt);
	else
		p->mnt_copy = q;
	return err;
}

/*
 * Copies the mounts below @from in @old into @copy. On mount_list a parent
 * comes before the mounts in it, unless mounts were moved: so the list is
 * walked until nothing is left to copy.
 */
static int copy_submounts(struct mount *old, struct dentry *from,
			  struct mount *copy)
{
	struct mount *p;
	bool more;
	int err = 0;

	old->mnt_copy = copy;
	do {
		more = false;
		list_for_each_entry(p, &mount_list, mnt_list) {
			if (!is_to_be_copied(p, old, from, copy))
				continue;
			err = copy_one(p);
			if (err)
				break;
			more = true;
		}
	} while (more && !err);
	forget_copies();
	return err;
}

/* Between lock_mount and unlock_mount. What has to go again is in @gone. */
static int __do_loopback(struct path *old, struct path *path, int recurse,
			 struct list_head *gone)
{
	struct mount *mnt;
	int err;

	if (!check_mnt(path) || !check_mnt(old))
		return -EINVAL;
	mnt = clone_mnt(real_mount(old->mnt), old->dentry);
	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	err = graft_tree(mnt, path);
	if (err) {
		mntput(&mnt->mnt);
		return err;
	}
	if (recurse)
		err = copy_submounts(real_mount(old->mnt), old->dentry, mnt);
	if (err) {
		lock_mount_hash();
		umount_tree(mnt, gone);
		unlock_mount_hash();
	}
	return err;
}

/* What is to be bound or moved. */
static inline int old_path(const char *name, struct path *path)
{
	if (!name || !*name)
		return -EINVAL;
	return kern_path(name, LOOKUP_FOLLOW | LOOKUP_AUTOMOUNT, path);
}

/* --bind: another place for a part of the tree. */
static int do_loopback(struct path *path, const char *old_name, int recurse)
{
	struct path old;
	LIST_HEAD(gone);
	int err;

	err = old_path(old_name, &old);
	if (err)
		return err;
	err = lock_mount(path);
	if (!err) {
		err = __do_loopback(&old, path, recurse, &gone);
		inode_unlock(d_inode(path->dentry));
		namespace_unlock(&gone);
	}
	path_put(&old);
	return err;
}

/* There is one tree and no propagation: all mounts are private as they are. */
static int do_change_type(struct path *path, int ms_flags)
{
	int type = ms_flags & MS_TYPE_MASK;

	if ((ms_flags & ~(MS_REC | SB_SILENT)) != type || !path_mounted(path))
		return -EINVAL;
	return type == MS_PRIVATE ? 0 : -EINVAL;
}

/* Between lock_mount and unlock_mount; @was becomes where it has been. */
static int __do_move_mount(struct path *old, struct path *path,
			   struct path *was)
{
	struct mount *mnt = real_mount(old->mnt), *p;

	if (!check_mnt(path) || !check_mnt(old) || !path_mounted(old) ||
	    !mnt_has_parent(mnt))
		return -EINVAL;
	if (S_ISDIR(d_inode(path->dentry)->i_mode) !=
	    S_ISDIR(d_inode(old->dentry)->i_mode))
		return -EINVAL;
	for (p = real_mount(path->mnt); mnt_has_parent(p); p = p->mnt_parent)
		if (p == mnt)
			return -ELOOP;
	lock_mount_hash();
	detach_mnt(mnt, was);
	unlock_mount_hash();
	attach_mnt(mnt, path);
	return 0;
}

static int do_move_mount_old(struct path *path, const char *old_name)
{
	struct path old, was = { NULL, NULL };
	int err;

	err = old_path(old_name, &old);
	if (err)
		return err;
	err = lock_mount(path);
	if (!err) {
		err = __do_move_mount(&old, path, &was);
		unlock_mount(path);
	}
	path_put(&was);
	path_put(&old);
	return err;
}

static inline int mount_flags(unsigned long flags, const struct path *path)
{
	int mnt_flags = 0;

	if (!(flags & MS_NOATIME))
		mnt_flags |= MNT_RELATIME;
	if (flags & MS_NOSUID)
		mnt_flags |= MNT_NOSUID;
	if (flags & MS_NODEV)
		mnt_flags |= MNT_NODEV;
	if (flags & MS_NOEXEC)
		mnt_flags |= MNT_NOEXEC;
	if (flags & MS_NOATIME)
		mnt_flags |= MNT_NOATIME;
	if (flags & MS_NODIRATIME)
		mnt_flags |= MNT_NODIRATIME;
	if (flags & MS_STRICTATIME)
		mnt_flags &= ~(MNT_RELATIME | MNT_NOATIME);
	if (flags & MS_RDONLY)
		mnt_flags |= MNT_READONLY;
	if (flags & MS_NOSYMFOLLOW)
		mnt_flags |= MNT_NOSYMFOLLOW;
	/* A remount that does not mention access times keeps them. */
	if ((flags & MS_REMOUNT) && !(flags & MS_ATIME_MASK))
		mnt_flags = (mnt_flags & ~MNT_ATIME_MASK) |
			    (path->mnt->mnt_flags & MNT_ATIME_MASK);
	return mnt_flags;
}

int path_mount(const char *dev_name, struct path *path, const char *type_page,
	       unsigned long flags, void *data_page)
{
	int mnt_flags, sb_flags;

	if ((flags & MS_MGC_MSK) == MS_MGC_VAL)
		flags &= ~MS_MGC_MSK;
	if (data_page)
		((char *)data_page)[PAGE_SIZE - 1] = '\0';
	if (flags & SB_NOUSER)
		return -EINVAL;
	mnt_flags = mount_flags(flags, path);
	sb_flags = flags & (SB_RDONLY | SB_SYNCHRONOUS | SB_MANDLOCK |
			    SB_DIRSYNC | SB_SILENT | SB_LAZYTIME);

	if ((flags & (MS_REMOUNT | MS_BIND)) == (MS_REMOUNT | MS_BIND))
		return do_reconfigure_mnt(path, mnt_flags);
	if (flags & MS_REMOUNT)
		return do_remount(path, sb_flags, mnt_flags, data_page);
	if (flags & MS_BIND)
		return do_loopback(path, dev_name, flags & MS_REC);
	if (flags & MS_TYPE_MASK)
		return do_change_type(path, flags);
	if (flags & MS_MOVE)
		return do_move_mount_old(path, dev_name);
	return do_new_mount(path, type_page, sb_flags, mnt_flags, dev_name,
			    data_page);
}

long do_mount(const char *dev_name, const char __user *dir_name,
	      const char *type_page, unsigned long flags, void *data_page)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, dir_name,
			       LOOKUP_FOLLOW | LOOKUP_AUTOMOUNT, &path);

	if (err)
		return err;
	err = path_mount(dev_name, &path, type_page, flags, data_page);
	path_put(&path);
	return err;
}

/* NULL for none; it ends with a NUL wherever the user's page does. */
static void *copy_mount_options(const void __user *data)
{
	char *copy;
	unsigned long left;

	if (!data)
		return NULL;
	copy = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	left = copy_from_user(copy, data, PAGE_SIZE);
	if (left == PAGE_SIZE) {
		kfree(copy);
		return ERR_PTR(-EFAULT);
	}
	memset(copy + PAGE_SIZE - left, 0, left);
	return copy;
}

static char *copy_mount_string(const void __user *data)
{
	return data ? strndup_user(data, PATH_MAX) : NULL;
}

SYSCALL_DEFINE5(mount, char __user *, dev_name, char __user *, dir_name,
		char __user *, type, unsigned long, flags, void __user *, data)
{
	char *kernel_type, *kernel_dev;
	void *options;
	long err;

	kernel_type = copy_mount_string(type);
	if (IS_ERR(kernel_type))
		return PTR_ERR(kernel_type);
	kernel_dev = copy_mount_string(dev_name);
	err = PTR_ERR_OR_ZERO(kernel_dev);
	if (err)
		goto free_type;
	options = copy_mount_options(data);
	err = PTR_ERR_OR_ZERO(options);
	if (err)
		goto free_dev;
	err = do_mount(kernel_dev, dir_name, kernel_type, flags, options);
	kfree(options);
free_dev:
	kfree(kernel_dev);
free_type:
	kfree(kernel_type);
	return err;
}
