/* SPDX-License-Identifier: GPL-2.0-only */
/* chmod: changing permissions. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

#include "internal.h"

static int chmod_common(const struct path *path, umode_t mode)
{
	struct iattr attr = { .ia_valid = ATTR_MODE, .ia_mode = mode };

	return change_attributes(path, &attr);
}

SYSCALL_DEFINE2(fchmod, unsigned int, fd, umode_t, mode)
{
	struct fd f = fdget(fd);
	int err = -EBADF;

	if (f.file) {
		err = chmod_common(&f.file->f_path, mode);
		fdput(f);
	}
	return err;
}

static int do_fchmodat(int dfd, const char __user *filename, umode_t mode)
{
	struct path path;
	int err = user_path_at(dfd, filename, LOOKUP_FOLLOW, &path);

	if (!err) {
		err = chmod_common(&path, mode);
		path_put(&path);
	}
	return err;
}

SYSCALL_DEFINE3(fchmodat, int, dfd, const char __user *, filename,
		umode_t, mode)
{
	return do_fchmodat(dfd, filename, mode);
}

SYSCALL_DEFINE2(chmod, const char __user *, filename, umode_t, mode)
{
	return do_fchmodat(AT_FDCWD, filename, mode);
}
