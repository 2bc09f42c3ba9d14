/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets the drivers up and gives their devices nodes in /dev. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/namei.h>

void __init device_create(const char *path, dev_t dev, umode_t mode)
{
	struct path dir;
	struct dentry *dentry = kern_path_create(path, &dir, 0);
	int err = PTR_ERR_OR_ZERO(dentry);

	if (!err) {
		err = vfs_mknod(d_inode(dir.dentry), dentry, S_IFCHR | mode,
				dev);
		done_path_create(&dir, dentry);
	}
	if (err)
		panic("%s: cannot make node: error %d", path, err);
}

static void __init make_dev_directory(void)
{
	struct path root;
	struct dentry *dentry = kern_path_create("/dev", &root,
						 LOOKUP_DIRECTORY);

	if (IS_ERR(dentry))
		panic("/dev: error %ld", PTR_ERR(dentry));
	vfs_mkdir(d_inode(root.dentry), dentry, 0755);
	done_path_create(&root, dentry);
}

/* Called by a task that has a file system, before the initramfs is unpacked. */
void __init do_basic_setup(void)
{
	make_dev_directory();
	chr_dev_init();
	console_dev_init();
	command_dev_init();
	lkdtm_module_init();
}
