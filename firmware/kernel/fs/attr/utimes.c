/* SPDX-License-Identifier: GPL-2.0-only */
/* utimensat: setting a file's times. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "internal.h"

static bool nsec_valid(long nsec)
{
	return nsec == UTIME_OMIT || nsec == UTIME_NOW ||
	       (nsec >= 0 && nsec < NSEC_PER_SEC);
}

static int vfs_utimes(const struct path *path,
		      const struct __kernel_timespec *times)
{
	struct iattr attr = { .ia_valid = ATTR_ATIME | ATTR_MTIME };

	if (times && times[0].tv_nsec == UTIME_OMIT)
		attr.ia_valid &= ~ATTR_ATIME;
	else if (times && times[0].tv_nsec != UTIME_NOW) {
		attr.ia_valid |= ATTR_ATIME_SET;
		attr.ia_atime.tv_sec = times[0].tv_sec;
		attr.ia_atime.tv_nsec = times[0].tv_nsec;
	}
	if (times && times[1].tv_nsec == UTIME_OMIT)
		attr.ia_valid &= ~ATTR_MTIME;
	else if (times && times[1].tv_nsec != UTIME_NOW) {
		attr.ia_valid |= ATTR_MTIME_SET;
		attr.ia_mtime.tv_sec = times[1].tv_sec;
		attr.ia_mtime.tv_nsec = times[1].tv_nsec;
	}
	return change_attributes(path, &attr);
}

static int do_utimes_path(int dfd, const char __user *filename,
			  const struct __kernel_timespec *times, int flags)
{
	unsigned int how = flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
	struct path path;
	int err;

	if (flags & ~AT_SYMLINK_NOFOLLOW)
		return -EINVAL;
	err = user_path_at(dfd, filename, how, &path);
	if (err)
		return err;
	err = vfs_utimes(&path, times);
	path_put(&path);
	return err;
}

static int do_utimes_fd(int fd, const struct __kernel_timespec *times,
			int flags)
{
	struct fd f;
	int err;

	if (flags)
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	err = vfs_utimes(&f.file->f_path, times);
	fdput(f);
	return err;
}

/* Without a name: the descriptor's file. Without times: now. */
SYSCALL_DEFINE4(utimensat, int, dfd, const char __user *, filename,
		struct __kernel_timespec __user *, utimes, int, flags)
{
	struct __kernel_timespec times[2];

	if (utimes) {
		if (copy_from_user(times, utimes, sizeof(times)))
			return -EFAULT;
		if (!nsec_valid(times[0].tv_nsec) ||
		    !nsec_valid(times[1].tv_nsec))
			return -EINVAL;
		if (times[0].tv_nsec == UTIME_OMIT &&
		    times[1].tv_nsec == UTIME_OMIT)
			return 0;
	}
	if (!filename && dfd != AT_FDCWD)
		return do_utimes_fd(dfd, utimes ? times : NULL, flags);
	return do_utimes_path(dfd, filename, utimes ? times : NULL, flags);
}
