/* SPDX-License-Identifier: GPL-2.0-only */
/* How full a file system is. */
#ifndef SYS_STATFS_H
#define SYS_STATFS_H

#include <linux/statfs.h>

int statfs(const char *path, struct statfs *st);

#endif
