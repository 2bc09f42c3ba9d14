/* SPDX-License-Identifier: GPL-2.0-only */
/* Brings the file system up, in the order that its parts need each other. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/xarray.h>

#include "internal.h"

void __init vfs_caches_init(void)
{
	radix_tree_init();
	namei_init();
	dcache_init();
	inode_init();
	files_init();
	fdtable_init();
	fs_struct_init();
	mnt_init();
}
