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
#include <linux/tracefs.h>

/* The host makes it, and what is in it. */
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
	struct dentry *dentry = simple_start_creating(parent, name);
	int err;

	if (IS_ERR(dentry))
		return dentry;
	err = hostfs_mkdir(d_inode(parent), dentry, 0750);
	simple_done_creating(dentry);
	if (err) {
		dput(dentry);
		return ERR_PTR(err);
	}
	return dentry;
}

/* @inode is locked, and tracefs_create_dir() locks it, too. */
static int tracefs_syscall_mkdir(struct inode *inode, struct dentry *dentry,
				 umode_t mode)
{
	struct dentry *made;

	inode_unlock(inode);
	made = tracefs_create_dir(dentry->d_name.name, dentry->d_parent);
	inode_lock(inode);
	if (IS_ERR(made))
		return PTR_ERR(made);
	dput(made);
	return 0;
}

static const struct inode_operations tracefs_dir_inode_operations = {
	.lookup		= hostfs_lookup,
	.mkdir		= tracefs_syscall_mkdir,
	.rmdir		= hostfs_rmdir,
	.setattr	= hostfs_setattr,
	.getattr	= hostfs_getattr,
};

static int trace_fill_super(struct super_block *sb, void *data, int silent)
{
	int err = hostfs_fill_super(sb, "tracefs",
				    &tracefs_dir_inode_operations);

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
