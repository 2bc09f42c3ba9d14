/* SPDX-License-Identifier: GPL-2.0-only */
/* tracefs: the tree of files by which tracing is controlled, which the host serves. */
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/hostfs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>

static int trace_fill_super(struct super_block *sb, void *data, int silent)
{
	int err = hostfs_fill_super(sb, "tracefs");

	sb->s_magic = TRACEFS_MAGIC;
	return err;
}

static struct dentry *trace_mount(struct file_system_type *type, int flags,
				  const char *name, void *data)
{
	return mount_single(type, flags, data, trace_fill_super);
}

static struct file_system_type trace_fs_type = {
	.name		= "tracefs",
	.mount		= trace_mount,
	.kill_sb	= kill_anon_super,
};

/* For those who look for it where it was before it had a place of its own. */
static struct vfsmount *trace_automount(struct dentry *mountpoint, void *unused)
{
	return vfs_submount(mountpoint, &trace_fs_type, "tracefs", NULL);
}

/* After debugfs. */
static int __init tracefs_init(void)
{
	debugfs_create_automount("tracing", NULL, trace_automount, NULL);
	return register_filesystem(&trace_fs_type);
}
core_initcall(tracefs_init);
