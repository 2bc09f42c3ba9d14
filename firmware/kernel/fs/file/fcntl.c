/* SPDX-License-Identifier: GPL-2.0-only */
/* Controlling open files and descriptors: fcntl. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pipe_fs_i.h>
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
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
		return pipe_fcntl(file, cmd, arg);
	}
	return -EINVAL;
}

/* What concerns the descriptor, and not what one could do with the file. */
static bool check_fcntl_cmd(unsigned int cmd)
{
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC || cmd == F_GETFD ||
	       cmd == F_SETFD || cmd == F_GETFL;
}

SYSCALL_DEFINE3(fcntl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget_raw(fd);
	long ret = -EBADF;

	if (!f.file)
		return -EBADF;
	if (!(f.file->f_mode & FMODE_PATH) || check_fcntl_cmd(cmd))
		ret = do_fcntl(fd, cmd, arg, f.file);
	fdput(f);
	return ret;
}
