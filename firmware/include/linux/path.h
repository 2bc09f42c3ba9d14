/* SPDX-License-Identifier: GPL-2.0-only */
/* A place in the tree of names. Filesystems are not stacked: no mount. */
#ifndef _LINUX_PATH_H
#define _LINUX_PATH_H

struct dentry;

struct path {
	struct dentry *dentry;
};

void path_get(const struct path *path);
void path_put(const struct path *path);

#endif
