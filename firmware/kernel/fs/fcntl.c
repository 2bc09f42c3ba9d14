/* SPDX-License-Identifier: GPL-2.0-only */
/* Controlling open files and descriptors: fcntl and ioctl. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/syscalls.h>

#define SETFL_MASK	(O_APPEND | O_NONBLOCK)

static int setfl(struct file *file, unsigned int arg)
{
	file->f_flags = (arg & SETFL_MASK) | (file->f_flags & ~SETFL_MASK);
	return 0;
}

static long do_fcntl(unsigned int fd, unsigned int cmd, unsigned long arg,
		     struct file *file)
{
	switch (cmd) {
	case F_DUPFD:
		return f_dupfd(arg, file, 0);
	case F_DUPFD_CLOEXEC:
		return f_dupfd(arg, file, O_CLOEXEC);
	case F_GETFD:
		return get_close_on_exec(fd) ? FD_CLOEXEC : 0;
	case F_SETFD:
		set_close_on_exec(fd, arg & FD_CLOEXEC);
		return 0;
	case F_GETFL:
		return file->f_flags & ~O_CLOEXEC;
	case F_SETFL:
		return setfl(file, arg);
	}
	return -EINVAL;
}

SYSCALL_DEFINE3(fcntl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget(fd);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = do_fcntl(fd, cmd, arg, f.file);
	fdput(f);
	return ret;
}

static long vfs_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (!file->f_op->unlocked_ioctl)
		return -ENOTTY;
	return file->f_op->unlocked_ioctl(file, cmd, arg);
}

SYSCALL_DEFINE3(ioctl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget(fd);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_ioctl(f.file, cmd, arg);
	fdput(f);
	return ret;
}
