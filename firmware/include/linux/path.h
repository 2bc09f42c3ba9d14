/* SPDX-License-Identifier: GPL-2.0-only */
/* A place in the tree of names: a dentry, and the mount it was reached in. */
#ifndef _LINUX_PATH_H
#define _LINUX_PATH_H

#include <linux/types.h>

struct dentry;
struct vfsmount;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

void path_get(const struct path *path);
void path_put(const struct path *path);

static inline bool path_equal(const struct path *a, const struct path *b)
{
	return a->mnt == b->mnt && a->dentry == b->dentry;
}

#endif
