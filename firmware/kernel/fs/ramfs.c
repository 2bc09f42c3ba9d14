/* SPDX-License-Identifier: GPL-2.0-only */
/* ramfs: files whose only storage is the caches. It is the root. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

static const struct inode_operations ramfs_dir_inode_operations;

static const struct file_operations ramfs_file_operations = {
	.llseek		= generic_file_llseek,
	.read_iter	= generic_file_read_iter,
	.write_iter	= generic_file_write_iter,
	.mmap		= generic_file_mmap,
};

static const struct inode_operations ramfs_file_inode_operations;

static struct inode *ramfs_get_inode(struct super_block *sb, umode_t mode,
				     dev_t dev)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_mode = mode;
	inode->i_op = &ramfs_file_inode_operations;
	switch (mode & S_IFMT) {
	case S_IFREG:
		inode->i_fop = &ramfs_file_operations;
		break;
	case S_IFDIR:
		inode->i_op = &ramfs_dir_inode_operations;
		inode->i_fop = &simple_dir_operations;
		inc_nlink(inode);	/* its own "." */
		break;
	case S_IFLNK:
		break;
	default:
		init_special_inode(inode, mode, dev);
	}
	return inode;
}

static int ramfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
		       dev_t dev)
{
	struct inode *inode = ramfs_get_inode(dir->i_sb, mode, dev);

	if (!inode)
		return -ENOSPC;
	d_instantiate(dentry, inode);
	dget(dentry);	/* nothing else remembers that the file exists */
	dir->i_mtime = dir->i_ctime = current_time();
	return 0;
}

static int ramfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	return ramfs_mknod(dir, dentry, mode | S_IFREG, 0);
}

static int ramfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = ramfs_mknod(dir, dentry, mode | S_IFDIR, 0);

	if (!err)
		inc_nlink(dir);
	return err;
}

static int ramfs_symlink(struct inode *dir, struct dentry *dentry,
			 const char *target)
{
	size_t len = strlen(target);
	char *link = kmalloc(len + 1, GFP_KERNEL);
	int err;

	if (!link)
		return -ENOMEM;
	memcpy(link, target, len + 1);
	err = ramfs_mknod(dir, dentry, S_IFLNK | S_IRWXUGO, 0);
	if (err) {
		kfree(link);
		return err;
	}
	d_inode(dentry)->i_link = link;
	i_size_write(d_inode(dentry), len);
	return 0;
}

static const struct inode_operations ramfs_dir_inode_operations = {
	.create		= ramfs_create,
	.lookup		= simple_lookup,
	.unlink		= simple_unlink,
	.symlink	= ramfs_symlink,
	.mkdir		= ramfs_mkdir,
	.rmdir		= simple_rmdir,
	.mknod		= ramfs_mknod,
	.rename		= simple_rename,
};

/* Makes "/" and puts the first process there. */
void __init init_rootfs(void)
{
	static struct super_block rootfs = { .s_dev = MKDEV(0, 1) };
	struct inode *inode = ramfs_get_inode(&rootfs, S_IFDIR | 0755, 0);
	struct path root;

	if (inode)
		rootfs.s_root = d_make_root(inode);
	if (!rootfs.s_root)
		panic("rootfs: out of memory");
	root.dentry = rootfs.s_root;
	set_fs_root(&init_fs, &root);
	set_fs_pwd(&init_fs, &root);
}
