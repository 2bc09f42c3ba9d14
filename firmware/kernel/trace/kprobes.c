/* SPDX-License-Identifier: GPL-2.0-only */
/* kprobes/ of debugfs, which the host serves. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hostfs.h>
#include <linux/init.h>
#include <linux/mount.h>

static int kprobes_fill_super(struct super_block *sb, void *data, int silent)
{
	return hostfs_fill_super(sb, "kprobes", &hostfs_dir_inode_operations);
}

static struct dentry *kprobes_get_tree(struct file_system_type *type, int flags,
				       const char *name, void *data)
{
	return mount_single(type, flags, data, kprobes_fill_super);
}

static struct file_system_type kprobes_fs_type = {
	.name		= "kprobes",
	.mount		= kprobes_get_tree,
	.kill_sb	= kill_anon_super,
};

static struct vfsmount *kprobes_automount(struct dentry *mountpoint,
					  void *unused)
{
	return vfs_submount(mountpoint, &kprobes_fs_type, "kprobes", NULL);
}

/* After debugfs. */
static int __init debugfs_kprobe_init(void)
{
	debugfs_create_automount("kprobes", NULL, kprobes_automount, NULL);
	return 0;
}
core_initcall(debugfs_kprobe_init);
