/* SPDX-License-Identifier: GPL-2.0-only */
/* Making nodes: devices, FIFOs, empty files. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

static int may_mknod(umode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
	case 0:
		return 0;
	case S_IFDIR:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

static int do_mknodat(int dfd, struct filename *name, umode_t mode,
		      unsigned int dev)
{
	struct dentry *dentry;
	struct path path;
	int err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = may_mknod(mode);
	if (err)
		goto out;
	dentry = filename_create(dfd, name, &path, 0);
	err = PTR_ERR_OR_ZERO(dentry);
	if (err)
		goto out;
	mode = (mode & S_IFMT) | (mode & S_IALLUGO & ~current_umask());
	if (!(mode & S_IFMT) || S_ISREG(mode))
		err = vfs_create(d_inode(path.dentry), dentry, mode, true);
	else
		err = vfs_mknod(d_inode(path.dentry), dentry, mode,
				S_ISCHR(mode) || S_ISBLK(mode) ?
				new_decode_dev(dev) : 0);
	done_path_create(&path, dentry);
out:
	putname(name);
	return err;
}

SYSCALL_DEFINE4(mknodat, int, dfd, const char __user *, filename,
		umode_t, mode, unsigned int, dev)
{
	return do_mknodat(dfd, getname(filename), mode, dev);
}

SYSCALL_DEFINE3(mknod, const char __user *, filename, umode_t, mode,
		unsigned, dev)
{
	return do_mknodat(AT_FDCWD, getname(filename), mode, dev);
}
