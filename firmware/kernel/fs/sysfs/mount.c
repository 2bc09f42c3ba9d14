/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs: one tree for all who mount it. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/slab.h>

#include "sysfs.h"

static struct vfsmount *sysfs_mnt;

struct dentry *sysfs_root(void)
{
	return sysfs_mnt->mnt_root;
}

static const struct super_operations sysfs_ops = {
	.statfs		= simple_statfs,
};

static int sysfs_fill_super(struct super_block *sb, void *data, int silent)
{
	static const struct tree_descr none[] = { { .name = "" } };
	int err = simple_fill_super(sb, SYSFS_MAGIC, none);

	if (err)
		return err;
	sb->s_op = &sysfs_ops;
	sb->s_d_op = &simple_dentry_operations;
	d_inode(sb->s_root)->i_mode = S_IFDIR | S_IRUGO | S_IXUGO;
	return 0;
}

static struct dentry *sysfs_mount(struct file_system_type *type, int flags,
				  const char *dev_name, void *data)
{
	return mount_single(type, flags, data, sysfs_fill_super);
}

static struct file_system_type sysfs_fs_type = {
	.name		= "sysfs",
	.mount		= sysfs_mount,
	.kill_sb	= kill_litter_super,
};

void __init sysfs_init(void)
{
	int err = register_filesystem(&sysfs_fs_type);

	if (!err) {
		sysfs_mnt = kern_mount(&sysfs_fs_type);
		err = PTR_ERR_OR_ZERO(sysfs_mnt);
	}
	if (err)
		panic("sysfs: error %d", -err);
}
