/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs: one tree for all who mount it, from core_initcall on. */
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define DEBUGFS_DEFAULT_MODE	0700

static struct vfsmount *debugfs_mount;

/* What a directory mounts when somebody goes there. */
struct debugfs_automount {
	debugfs_automount_t	f;
	void			*data;
};

static int debugfs_show_options(struct seq_file *m, struct dentry *root)
{
	umode_t mode = d_inode(root)->i_mode & S_IALLUGO;

	if (mode != DEBUGFS_DEFAULT_MODE)
		seq_printf(m, ",mode=%o", mode);
	return 0;
}

/* Only "mode=NNN" means anything; all else has always been ignored. */
static int debugfs_parse_options(char *options, umode_t *mode)
{
	char *option;
	unsigned int value;

	while ((option = strsep(&options, ",")) != NULL) {
		if (strncmp(option, "mode=", 5))
			continue;
		if (kstrtouint(option + 5, 8, &value))
			return -EINVAL;
		*mode = value & S_IALLUGO;
	}
	return 0;
}

static int debugfs_remount(struct super_block *sb, int *flags, char *data)
{
	struct inode *root = d_inode(sb->s_root);
	umode_t mode = root->i_mode & S_IALLUGO;
	int err = debugfs_parse_options(data, &mode);

	if (!err)
		root->i_mode = S_IFDIR | mode;
	return err;
}

static const struct super_operations debugfs_super_operations = {
	.statfs		= simple_statfs,
	.remount_fs	= debugfs_remount,
	.show_options	= debugfs_show_options,
};

static void debugfs_release_dentry(struct dentry *dentry)
{
	kfree(dentry->d_fsdata);
}

static struct vfsmount *debugfs_automount(struct path *path)
{
	struct debugfs_automount *a = path->dentry->d_fsdata;

	return a->f(path->dentry, a->data);
}

static const struct dentry_operations debugfs_dops = {
	.d_delete	= always_delete_dentry,
	.d_release	= debugfs_release_dentry,
	.d_automount	= debugfs_automount,
};

static int debug_fill_super(struct super_block *sb, void *data, int silent)
{
	static const struct tree_descr debug_files[] = { { .name = "" } };
	umode_t mode = DEBUGFS_DEFAULT_MODE;
	int err = debugfs_parse_options(data, &mode);

	if (!err)
		err = simple_fill_super(sb, DEBUGFS_MAGIC, debug_files);
	if (err)
		return err;
	sb->s_op = &debugfs_super_operations;
	sb->s_d_op = &debugfs_dops;
	d_inode(sb->s_root)->i_mode = S_IFDIR | mode;
	return 0;
}

static struct dentry *debug_mount(struct file_system_type *type, int flags,
				  const char *dev_name, void *data)
{
	return mount_single(type, flags, data, debug_fill_super);
}

static struct file_system_type debug_fs_type = {
	.name		= "debugfs",
	.mount		= debug_mount,
	.kill_sb	= kill_litter_super,
};

static struct dentry *start_creating(const char *name, struct dentry *parent)
{
	if (!debugfs_mount)
		return ERR_PTR(-ENODEV);
	if (IS_ERR(parent))
		return parent;
	return simple_start_creating(parent ? parent : debugfs_mount->mnt_root,
				     name);
}

static struct dentry *failed_creating(struct dentry *dentry, int err)
{
	simple_done_creating(dentry);
	dput(dentry);
	return ERR_PTR(err);
}

static struct inode *debugfs_get_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (inode)
		inode->i_mode = mode;
	return inode;
}

static struct dentry *create_dir(const char *name, struct dentry *parent,
				 struct debugfs_automount *automount)
{
	struct dentry *dentry = start_creating(name, parent);
	struct inode *inode;

	if (IS_ERR(dentry))
		return dentry;
	inode = debugfs_get_inode(dentry->d_sb, S_IFDIR | 0755);
	if (!inode)
		return failed_creating(dentry, -ENOMEM);
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode);	/* its own "." */
	if (automount) {
		dentry->d_fsdata = automount;
		dentry->d_flags |= DCACHE_NEED_AUTOMOUNT;
	}
	d_instantiate(dentry, inode);
	inc_nlink(d_inode(dentry->d_parent));
	simple_done_creating(dentry);
	return dentry;
}

struct dentry *debugfs_create_automount(const char *name,
					struct dentry *parent,
					debugfs_automount_t f, void *data)
{
	struct debugfs_automount *a = kmalloc(sizeof(*a), GFP_KERNEL);
	struct dentry *dentry;

	if (!a)
		return ERR_PTR(-ENOMEM);
	a->f = f;
	a->data = data;
	dentry = create_dir(name, parent, a);
	if (IS_ERR(dentry))
		kfree(a);
	return dentry;
}

static int __init debugfs_init(void)
{
	int err = register_filesystem(&debug_fs_type);

	if (err)
		return err;
	debugfs_mount = kern_mount(&debug_fs_type);
	if (IS_ERR(debugfs_mount)) {
		err = PTR_ERR(debugfs_mount);
		debugfs_mount = NULL;
	}
	return err;
}
core_initcall(debugfs_init);
