/* SPDX-License-Identifier: GPL-2.0-only */
/* What the inode cache shares: inodes, and finding them by number. */
#ifndef _FS_INODE_INTERNAL_H
#define _FS_INODE_INTERNAL_H

#include <linux/fs.h>

struct inode *alloc_inode(struct super_block *sb);
void destroy_inode(struct inode *inode);
void inode_sb_list_add(struct inode *inode);
void inode_wake(struct inode *inode);

#endif
