/* SPDX-License-Identifier: GPL-2.0-only */
/* ioctl: what every file knows, and what its driver does. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <uapi/linux/termios.h>

static long vfs_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long err = -ENOIOCTLCMD;

	if (file->f_op->unlocked_ioctl)
		err = file->f_op->unlocked_ioctl(file, cmd, arg);
	return err == -ENOIOCTLCMD ? -ENOTTY : err;
}

static int ioctl_fionbio(struct file *file, const int __user *argp)
{
	int on;

	if (get_user(on, argp))
		return -EFAULT;
	if (on)
		file->f_flags |= O_NONBLOCK;
	else
		file->f_flags &= ~O_NONBLOCK;
	return 0;
}

/* -ENOIOCTLCMD: it is for the driver. */
static long do_vfs_ioctl(struct file *file, unsigned int fd, unsigned int cmd,
			 unsigned long arg)
{
	struct inode *inode = file_inode(file);
	int __user *argp = (int __user *)arg;

	switch (cmd) {
	case FIOCLEX:
		set_close_on_exec(fd, 1);
		return 0;
	case FIONCLEX:
		set_close_on_exec(fd, 0);
		return 0;
	case FIONBIO:
		return ioctl_fionbio(file, argp);
	case FIONREAD:
		if (S_ISREG(inode->i_mode))
			return put_user((int)(i_size_read(inode) - file->f_pos),
					argp);
		return -ENOIOCTLCMD;
	default:
		return -ENOIOCTLCMD;
	}
}

SYSCALL_DEFINE3(ioctl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget(fd);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = do_vfs_ioctl(f.file, fd, cmd, arg);
	if (ret == -ENOIOCTLCMD)
		ret = vfs_ioctl(f.file, cmd, arg);
	fdput(f);
	return ret;
}
