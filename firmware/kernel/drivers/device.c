/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives devices their nodes in /dev. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/namei.h>

static void __init make_node(const char *path, dev_t dev, umode_t mode)
{
	struct path dir;
	struct dentry *dentry = kern_path_create(path, &dir, 0);
	int err = PTR_ERR_OR_ZERO(dentry);

	if (!err) {
		err = vfs_mknod(d_inode(dir.dentry), dentry, mode, dev);
		done_path_create(&dir, dentry);
	}
	if (err)
		panic("%s: cannot make node: error %d", path, err);
}

void __init device_create(const char *path, dev_t dev, umode_t mode)
{
	make_node(path, dev, S_IFCHR | mode);
}

void __init device_create_block(const char *path, dev_t dev, umode_t mode)
{
	make_node(path, dev, S_IFBLK | mode);
}

static int __init make_dev_directory(void)
{
	struct path root;
	struct dentry *dentry = kern_path_create("/dev", &root,
						 LOOKUP_DIRECTORY);
	int err;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	err = vfs_mkdir(d_inode(root.dentry), dentry, 0755);
	done_path_create(&root, dentry);
	return err;
}
subsys_initcall(make_dev_directory);
