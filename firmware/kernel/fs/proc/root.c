/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc itself: processes, and the entries that others have made. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>

#include "internal.h"

static struct dentry *proc_root_lookup(struct inode *dir, struct dentry *dentry,
				       unsigned int flags)
{
	if (!proc_pid_lookup(dentry, flags))
		return NULL;
	return proc_lookup(dir, dentry, flags);
}

static int proc_root_readdir(struct file *file, struct dir_context *ctx)
{
	if (ctx->pos < FIRST_PROCESS_ENTRY) {
		int ret = proc_readdir(file, ctx);

		if (ret <= 0)
			return ret;
		ctx->pos = FIRST_PROCESS_ENTRY;
	}
	return proc_pid_readdir(file, ctx);
}

static const struct file_operations proc_root_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_root_readdir,
	.llseek		= generic_file_llseek,
};

static const struct inode_operations proc_root_inode_operations = {
	.lookup		= proc_root_lookup,
};

/* The root of the tree of entries. */
struct proc_dir_entry proc_root = {
	.low_ino	= PROC_ROOT_INO,
	.namelen	= 0,
	.mode		= S_IFDIR | S_IRUGO | S_IXUGO,
	.nlink		= 2,
	.refcnt		= REFCOUNT_INIT(1),
	.proc_iops	= &proc_root_inode_operations,
	.proc_dir_ops	= &proc_root_operations,
	.parent		= &proc_root,
	.subdir		= LIST_HEAD_INIT(proc_root.subdir),
};

static int proc_fill_super(struct super_block *s, void *data, int silent)
{
	/* There are no options. */
	if (data && *(const char *)data)
		return -EINVAL;
	s->s_flags |= SB_NODIRATIME | SB_NOSUID | SB_NOEXEC;
	s->s_blocksize = 1024;
	s->s_blocksize_bits = 10;
	s->s_magic = PROC_SUPER_MAGIC;
	s->s_op = &proc_sops;
	s->s_time_gran = 1;
	s->s_root = d_make_root(proc_get_inode(s, pde_get(&proc_root)));
	return s->s_root ? 0 : -ENOMEM;
}

static struct dentry *proc_mount(struct file_system_type *type, int flags,
				 const char *dev_name, void *data)
{
	return mount_nodev(type, flags, data, proc_fill_super);
}

static struct file_system_type proc_fs_type = {
	.name		= "proc",
	.mount		= proc_mount,
	.kill_sb	= kill_anon_super,
};

static int __init proc_root_init(void)
{
	proc_init_kmemcache();
	proc_self_init();
	proc_symlink("mounts", NULL, "self/mounts");
	proc_sys_init();
	return register_filesystem(&proc_fs_type);
}
core_initcall(proc_root_init);
