/* SPDX-License-Identifier: GPL-2.0-only */
/* statfs: what there is to know of a file system. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/statfs.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

static int calculate_f_flags(const struct vfsmount *mnt)
{
	int mnt_flags = mnt->mnt_flags, flags = ST_VALID;

	if ((mnt_flags & MNT_READONLY) || sb_rdonly(mnt->mnt_sb))
		flags |= ST_RDONLY;
	if (mnt_flags & MNT_NOSUID)
		flags |= ST_NOSUID;
	if (mnt_flags & MNT_NODEV)
		flags |= ST_NODEV;
	if (mnt_flags & MNT_NOEXEC)
		flags |= ST_NOEXEC;
	if (mnt_flags & MNT_NOATIME)
		flags |= ST_NOATIME;
	if (mnt_flags & MNT_NODIRATIME)
		flags |= ST_NODIRATIME;
	if (mnt_flags & MNT_RELATIME)
		flags |= ST_RELATIME;
	if (mnt_flags & MNT_NOSYMFOLLOW)
		flags |= ST_NOSYMFOLLOW;
	if (mnt->mnt_sb->s_flags & SB_SYNCHRONOUS)
		flags |= ST_SYNCHRONOUS;
	return flags;
}

static int statfs_by_dentry(struct dentry *dentry, struct kstatfs *buf)
{
	struct super_block *sb = dentry->d_sb;
	int err;

	if (!sb->s_op->statfs)
		return -ENOSYS;
	memset(buf, 0, sizeof(*buf));
	err = sb->s_op->statfs(dentry, buf);
	if (!err && !buf->f_frsize)
		buf->f_frsize = buf->f_bsize;
	return err;
}

int vfs_statfs(const struct path *path, struct kstatfs *buf)
{
	int err = statfs_by_dentry(path->dentry, buf);

	if (!err)
		buf->f_flags = calculate_f_flags(path->mnt);
	return err;
}

static int do_statfs_native(const struct kstatfs *st,
			    struct statfs __user *p)
{
	struct statfs buf = {
		.f_type		= st->f_type,
		.f_bsize	= st->f_bsize,
		.f_blocks	= st->f_blocks,
		.f_bfree	= st->f_bfree,
		.f_bavail	= st->f_bavail,
		.f_files	= st->f_files,
		.f_ffree	= st->f_ffree,
		.f_fsid		= { st->f_fsid[0], st->f_fsid[1] },
		.f_namelen	= st->f_namelen,
		.f_frsize	= st->f_frsize,
		.f_flags	= st->f_flags,
	};

	return copy_to_user(p, &buf, sizeof(buf)) ? -EFAULT : 0;
}

static int user_statfs(const char __user *pathname, struct kstatfs *st)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname,
			       LOOKUP_FOLLOW | LOOKUP_AUTOMOUNT, &path);

	if (!err) {
		err = vfs_statfs(&path, st);
		path_put(&path);
	}
	return err;
}

static int fd_statfs(unsigned int fd, struct kstatfs *st)
{
	struct fd f = fdget_raw(fd);
	int err = -EBADF;

	if (f.file) {
		err = vfs_statfs(&f.file->f_path, st);
		fdput(f);
	}
	return err;
}

SYSCALL_DEFINE2(statfs, const char __user *, pathname,
		struct statfs __user *, buf)
{
	struct kstatfs st;
	int err = user_statfs(pathname, &st);

	return err ? err : do_statfs_native(&st, buf);
}

SYSCALL_DEFINE2(fstatfs, unsigned int, fd, struct statfs __user *, buf)
{
	struct kstatfs st;
	int err = fd_statfs(fd, &st);

	return err ? err : do_statfs_native(&st, buf);
}

/* Where long has 64 bits, struct statfs64 is struct statfs. */
SYSCALL_DEFINE3(statfs64, const char __user *, pathname, size_t, sz,
		struct statfs __user *, buf)
{
	struct kstatfs st;
	int err;

	if (sz != sizeof(*buf))
		return -EINVAL;
	err = user_statfs(pathname, &st);
	return err ? err : do_statfs_native(&st, buf);
}

SYSCALL_DEFINE3(fstatfs64, unsigned int, fd, size_t, sz,
		struct statfs __user *, buf)
{
	struct kstatfs st;
	int err;

	if (sz != sizeof(*buf))
		return -EINVAL;
	err = fd_statfs(fd, &st);
	return err ? err : do_statfs_native(&st, buf);
}
