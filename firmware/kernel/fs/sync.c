/* SPDX-License-Identifier: GPL-2.0-only */
/* sync and its like: until all is where it is stored. */
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/syscalls.h>

/* With s_umount held. */
int sync_filesystem(struct super_block *sb)
{
	int err = 0;

	if (sb_rdonly(sb))
		return 0;
	sync_inodes_sb(sb);
	if (sb->s_op->sync_fs)
		err = sb->s_op->sync_fs(sb, 1);
	if (!err)
		err = sync_blockdev(sb->s_bdev);
	return err;
}

static void sync_one_sb(struct super_block *sb, void *arg)
{
	sync_filesystem(sb);
}

static void ksys_sync(void)
{
	iterate_supers(sync_one_sb, NULL);
	sync_bdevs(true);
}

SYSCALL_DEFINE0(sync)
{
	ksys_sync();
	return 0;
}

SYSCALL_DEFINE1(syncfs, int, fd)
{
	struct fd f = fdget(fd);
	struct super_block *sb;
	int err;

	if (!f.file)
		return -EBADF;
	sb = f.file->f_path.dentry->d_sb;
	down_read(&sb->s_umount);
	err = sync_filesystem(sb);
	up_read(&sb->s_umount);
	fdput(f);
	return err;
}

int vfs_fsync_range(struct file *file, loff_t start, loff_t end, int datasync)
{
	if (!file->f_op->fsync)
		return -EINVAL;
	return file->f_op->fsync(file, start, end, datasync);
}

int vfs_fsync(struct file *file, int datasync)
{
	return vfs_fsync_range(file, 0, LLONG_MAX, datasync);
}

static int do_fsync(unsigned int fd, int datasync)
{
	struct fd f = fdget(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_fsync(f.file, datasync);
	fdput(f);
	return err;
}

SYSCALL_DEFINE1(fsync, unsigned int, fd)
{
	return do_fsync(fd, 0);
}

SYSCALL_DEFINE1(fdatasync, unsigned int, fd)
{
	return do_fsync(fd, 1);
}
