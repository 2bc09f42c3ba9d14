/* SPDX-License-Identifier: GPL-2.0-only */
/* ramfs: files whose only storage is the caches. It is the root. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#define RAMFS_DEFAULT_MODE	0755

static const struct inode_operations ramfs_dir_inode_operations;

static const struct file_operations ramfs_file_operations = {
	.llseek		= generic_file_llseek,
	.read_iter	= generic_file_read_iter,
	.write_iter	= generic_file_write_iter,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
	.mmap		= generic_file_mmap,
	.fsync		= noop_fsync,
};

static const struct inode_operations ramfs_file_inode_operations = {
	.setattr	= simple_setattr,
	.getattr	= simple_getattr,
};

static struct inode *ramfs_get_inode(struct super_block *sb,
				     const struct inode *dir, umode_t mode,
				     dev_t dev)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode_init_owner(inode, dir, mode);
	inode->i_mapping->a_ops = &ram_aops;
	mapping_set_unevictable(inode->i_mapping);
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
		inode->i_op = &simple_symlink_inode_operations;
		break;
	default:
		init_special_inode(inode, mode, dev);
	}
	return inode;
}

static int ramfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
		       dev_t dev)
{
	struct inode *inode = ramfs_get_inode(dir->i_sb, dir, mode, dev);

	if (!inode)
		return -ENOSPC;
	d_instantiate(dentry, inode);
	dget(dentry);	/* nothing else remembers that the file exists */
	dir->i_mtime = dir->i_ctime = current_time(dir);
	return 0;
}

static int ramfs_create(struct inode *dir, struct dentry *dentry, umode_t mode,
			bool excl)
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
	.link		= simple_link,
	.unlink		= simple_unlink,
	.symlink	= ramfs_symlink,
	.mkdir		= ramfs_mkdir,
	.rmdir		= simple_rmdir,
	.mknod		= ramfs_mknod,
	.rename		= simple_rename,
};

static void ramfs_free_inode(struct inode *inode)
{
	if (S_ISLNK(inode->i_mode))
		kfree(inode->i_link);
	free_inode_nonrcu(inode);
}

static int ramfs_show_options(struct seq_file *m, struct dentry *root)
{
	umode_t mode = d_inode(root)->i_mode & S_IALLUGO;

	if (mode != RAMFS_DEFAULT_MODE)
		seq_printf(m, ",mode=%o", mode);
	return 0;
}

static const struct super_operations ramfs_ops = {
	.free_inode	= ramfs_free_inode,
	.drop_inode	= generic_delete_inode,
	.statfs		= simple_statfs,
	.show_options	= ramfs_show_options,
};

/* "mode=NNN"; other options are of kinds that a ramfs does not have. */
static int ramfs_parse_options(char *options, umode_t *mode)
{
	char *option;

	while ((option = strsep(&options, ",")) != NULL) {
		unsigned int value;

		if (strncmp(option, "mode=", 5))
			continue;
		if (kstrtouint(option + 5, 8, &value))
			return -EINVAL;
		*mode = value & S_IALLUGO;
	}
	return 0;
}

static int ramfs_fill_super(struct super_block *sb, void *data, int silent)
{
	umode_t mode = RAMFS_DEFAULT_MODE;
	int err = ramfs_parse_options(data, &mode);

	if (err)
		return err;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_magic = RAMFS_MAGIC;
	sb->s_op = &ramfs_ops;
	sb->s_root = d_make_root(ramfs_get_inode(sb, NULL, S_IFDIR | mode, 0));
	return sb->s_root ? 0 : -ENOMEM;
}

static struct dentry *ramfs_mount(struct file_system_type *type, int flags,
				  const char *dev_name, void *data)
{
	return mount_nodev(type, flags, data, ramfs_fill_super);
}

static struct file_system_type ramfs_fs_type = {
	.name		= "ramfs",
	.mount		= ramfs_mount,
	.kill_sb	= kill_litter_super,
};

/* What "/" is; there is one only. */
struct file_system_type rootfs_fs_type = {
	.name		= "rootfs",
	.mount		= ramfs_mount,
	.kill_sb	= kill_litter_super,
};

static int __init init_ramfs_fs(void)
{
	return register_filesystem(&ramfs_fs_type);
}
fs_initcall(init_ramfs_fs);
