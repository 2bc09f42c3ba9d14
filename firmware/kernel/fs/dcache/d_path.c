/* SPDX-License-Identifier: GPL-2.0-only */
/* From a dentry and its mount to a path name. */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "../mount/mount.h"
#include "internal.h"

/* Text that grows towards its beginning; len < 0 once it did not fit. */
struct prepend_buffer {
	char	*buf;
	int	len;
};

static inline char *extract_string(const struct prepend_buffer *p)
{
	return p->len >= 0 ? p->buf : ERR_PTR(-ENAMETOOLONG);
}

static void prepend(struct prepend_buffer *p, const char *text, int len)
{
	p->len -= len;
	if (p->len < 0)
		return;
	p->buf -= len;
	memcpy(p->buf, text, len);
}

static inline void prepend_name(struct prepend_buffer *p,
				const struct qstr *name)
{
	prepend(p, name->name, name->len);
	prepend(p, "/", 1);
}

/*
 * From @dentry up to @root, across mounts. 0, or 1: the tree's own root came
 * first, 2: that of a tree which is mounted nowhere.
 */
static int __prepend_path(const struct dentry *dentry, const struct mount *mnt,
			  const struct path *root, struct prepend_buffer *p)
{
	while (dentry != root->dentry || &mnt->mnt != root->mnt) {
		const struct dentry *parent = dentry->d_parent;

		if (dentry == mnt->mnt.mnt_root) {
			const struct mount *m = mnt->mnt_parent;

			if (m != mnt) {
				dentry = mnt->mnt_mountpoint;
				mnt = m;
				continue;
			}
			return mnt->mnt_in_tree ? 1 : 2;
		}
		if (dentry == parent)
			return 3;	/* above what the mount shows */
		prepend_name(p, &dentry->d_name);
		dentry = parent;
	}
	return 0;
}

static int prepend_path(const struct path *path, const struct path *root,
			struct prepend_buffer *p)
{
	int len = p->len, err;

	lock_mount_hash();
	spin_lock(&rename_lock);
	err = __prepend_path(path->dentry, real_mount(path->mnt), root, p);
	spin_unlock(&rename_lock);
	unlock_mount_hash();
	if (p->len == len)
		prepend(p, "/", 1);
	return err;
}

/* From the file system's root, wherever that is mounted. */
char *dentry_path(const struct dentry *dentry, char *buf, int buflen)
{
	struct prepend_buffer p = { buf + buflen, buflen };

	prepend(&p, "", 1);
	if (IS_ROOT(dentry))
		prepend(&p, "/", 1);
	spin_lock(&rename_lock);
	for (; !IS_ROOT(dentry); dentry = dentry->d_parent)
		prepend_name(&p, &dentry->d_name);
	spin_unlock(&rename_lock);
	return extract_string(&p);
}

/* NULL if @path is not below @root. */
char *__d_path(const struct path *path, const struct path *root, char *buf,
	       int buflen)
{
	struct prepend_buffer p = { buf + buflen, buflen };

	prepend(&p, "", 1);
	if (prepend_path(path, root, &p) > 0)
		return NULL;
	return extract_string(&p);
}

/* As the calling process sees it; what was removed says so. */
char *d_path(const struct path *path, char *buf, int buflen)
{
	struct prepend_buffer p = { buf + buflen, buflen };
	struct dentry *dentry = path->dentry;
	struct path root;

	if (dentry->d_op && dentry->d_op->d_dname &&
	    (!IS_ROOT(dentry) || dentry != path->mnt->mnt_root))
		return dentry->d_op->d_dname(dentry, buf, buflen);

	get_fs_root(current->fs, &root);
	if (d_unlinked(dentry))
		prepend(&p, " (deleted)", 11);
	else
		prepend(&p, "", 1);
	prepend_path(path, &root, &p);
	path_put(&root);
	return extract_string(&p);
}

char *dynamic_dname(struct dentry *dentry, char *buf, int buflen,
		    const char *fmt, ...)
{
	char text[64];
	va_list args;
	int size;

	va_start(args, fmt);
	size = vsnprintf(text, sizeof(text), fmt, args) + 1;
	va_end(args);
	if (size > sizeof(text) || size > buflen)
		return ERR_PTR(-ENAMETOOLONG);
	return memcpy(buf + buflen - size, text, size);
}

/* Returns the length including the NUL. */
SYSCALL_DEFINE2(getcwd, char __user *, buf, unsigned long, size)
{
	char *page = (char *)__get_free_page(GFP_KERNEL);
	struct prepend_buffer p = { page + PATH_MAX, PATH_MAX };
	struct path root, pwd;
	unsigned int len;
	long ret = -ENOENT;

	if (!page)
		return -ENOMEM;
	get_fs_root(current->fs, &root);
	get_fs_pwd(current->fs, &pwd);
	if (!d_unlinked(pwd.dentry)) {
		prepend(&p, "", 1);
		if (prepend_path(&pwd, &root, &p) > 0)
			prepend(&p, "(unreachable)", 13);
		len = PATH_MAX - p.len;
		if (p.len < 0)
			ret = -ENAMETOOLONG;
		else if (len > size)
			ret = -ERANGE;
		else
			ret = copy_to_user(buf, p.buf, len) ? -EFAULT :
							      (long)len;
	}
	path_put(&pwd);
	path_put(&root);
	free_page((unsigned long)page);
	return ret;
}
