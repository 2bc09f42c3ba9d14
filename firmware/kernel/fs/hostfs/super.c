/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounting trees that the host serves: "hostfs" mounts a folder it shares. */
#include <linux/errno.h>
#include <linux/hostfs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/statfs.h>
#include <linux/string.h>

#include "hostfs.h"

static const struct super_operations hostfs_super_operations = {
	.statfs		= simple_statfs,
	.drop_inode	= generic_delete_inode,
};

/* Only the host says whether a tree can be changed. */
static int hostfs_read_only_remount(struct super_block *sb, int *flags,
				    char *data)
{
	return *flags & SB_RDONLY ? 0 : -EROFS;
}

static const struct super_operations hostfs_read_only_super_operations = {
	.statfs		= simple_statfs,
	.drop_inode	= generic_delete_inode,
	.remount_fs	= hostfs_read_only_remount,
};

int hostfs_fill_super(struct super_block *sb, const char *name,
		      const struct inode_operations *dir_operations)
{
	struct qstr tree = { .name = name, .len = strlen(name) };
	struct hostfs_request *req;
	struct inode *root;
	long ret;

	if (tree.len > NAME_MAX)
		return -ENAMETOOLONG;
	sb->s_magic = V9FS_MAGIC;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_fs_info = (void *)dir_operations;
	sb->s_op = &hostfs_super_operations;
	sb->s_d_op = &hostfs_dentry_operations;
	req = hostfs_alloc(FS_ROOT, 0, PAGE_SIZE);
	if (!req)
		return -ENOMEM;
	hostfs_set_names(req, &tree, NULL, 0);
	ret = hostfs_ask(req);
	if (ret & FS_READ_ONLY && ret > 0) {
		sb->s_flags |= SB_RDONLY;
		sb->s_op = &hostfs_read_only_super_operations;
	}
	root = ret < 0 ? ERR_PTR(ret) : hostfs_iget(sb, &req->fr.attr);
	hostfs_free(req);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static int hostfs_fill_share(struct super_block *sb, void *data, int silent)
{
	return hostfs_fill_super(sb, data, &hostfs_dir_inode_operations);
}

static struct dentry *hostfs_mount(struct file_system_type *type, int flags,
				   const char *name, void *data)
{
	return mount_nodev(type, flags, (void *)name, hostfs_fill_share);
}

static struct file_system_type hostfs_fs_type = {
	.name		= "hostfs",
	.mount		= hostfs_mount,
	.kill_sb	= kill_anon_super,
};

static int __init hostfs_init(void)
{
	return register_filesystem(&hostfs_fs_type);
}
fs_initcall(hostfs_init);
