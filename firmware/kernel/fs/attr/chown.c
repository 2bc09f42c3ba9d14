/* SPDX-License-Identifier: GPL-2.0-only */
/* chown: giving files away. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

#include "internal.h"

/* -1 leaves it as it is. What a program may do as its owner ends with that. */
static int chown_common(const struct path *path, uid_t user, gid_t group)
{
	struct iattr attr = { .ia_valid = 0, .ia_uid = user, .ia_gid = group };

	if (user != (uid_t)-1)
		attr.ia_valid |= ATTR_UID;
	if (group != (gid_t)-1)
		attr.ia_valid |= ATTR_GID;
	if (!S_ISDIR(d_inode(path->dentry)->i_mode))
		attr.ia_valid |= ATTR_KILL_SUID | ATTR_KILL_SGID;
	return change_attributes(path, &attr);
}

static int do_fchownat(int dfd, const char __user *filename, uid_t user,
		       gid_t group, int flag)
{
	unsigned int how = flag & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
	struct path path;
	int err;

	if (flag & ~AT_SYMLINK_NOFOLLOW)
		return -EINVAL;
	err = user_path_at(dfd, filename, how, &path);
	if (err)
		return err;
	err = chown_common(&path, user, group);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE5(fchownat, int, dfd, const char __user *, filename,
		uid_t, user, gid_t, group, int, flag)
{
	return do_fchownat(dfd, filename, user, group, flag);
}

SYSCALL_DEFINE3(chown, const char __user *, filename, uid_t, user,
		gid_t, group)
{
	return do_fchownat(AT_FDCWD, filename, user, group, 0);
}

SYSCALL_DEFINE3(lchown, const char __user *, filename, uid_t, user,
		gid_t, group)
{
	return do_fchownat(AT_FDCWD, filename, user, group,
			   AT_SYMLINK_NOFOLLOW);
}

SYSCALL_DEFINE3(fchown, unsigned int, fd, uid_t, user, gid_t, group)
{
	struct fd f = fdget(fd);
	int err = -EBADF;

	if (f.file) {
		err = chown_common(&f.file->f_path, user, group);
		fdput(f);
	}
	return err;
}
