/* SPDX-License-Identifier: GPL-2.0-only */
/* What those share who take dentries out of the tree. */
#ifndef _FS_DCACHE_INTERNAL_H
#define _FS_DCACHE_INTERNAL_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/spinlock.h>

extern spinlock_t rename_lock;
struct dentry *__dentry_kill(struct dentry *dentry);
void dentry_detach(struct dentry *dentry);
void d_lru_add(struct dentry *dentry);
struct dentry *d_lru_oldest(struct super_block *sb);

#endif
