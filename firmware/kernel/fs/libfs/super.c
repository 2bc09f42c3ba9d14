/* SPDX-License-Identifier: GPL-2.0-only */
/* Super blocks of file systems that live in the caches. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mount.h>

const struct super_operations simple_super_operations = {
	.statfs	= simple_statfs,
};

/* One file of simple_fill_super()'s list. */
static int fill_one(struct super_block *s, struct dentry *root,
		    const struct tree_descr *file, unsigned long ino)
{
	struct dentry *dentry = d_alloc_name(root, file->name);
	struct inode *inode;

	if (!dentry)
		return -ENOMEM;
	inode = new_inode(s);
	if (!inode) {
		dput(dentry);
		return -ENOMEM;
	}
	inode->i_mode = S_IFREG | file->mode;
	inode->i_fop = file->ops;
	inode->i_ino = ino;
	d_add(dentry, inode);	/* keeps the reference */
	return 0;
}

int simple_fill_super(struct super_block *s, unsigned long magic,
		      const struct tree_descr *files)
{
	struct inode *inode;
	struct dentry *root;
	int err = 0;

	s->s_blocksize = PAGE_SIZE;
	s->s_blocksize_bits = PAGE_SHIFT;
	s->s_magic = magic;
	s->s_op = &simple_super_operations;
	s->s_time_gran = 1;

	inode = new_inode(s);
	if (!inode)
		return -ENOMEM;
	inode->i_ino = 1;
	inode->i_mode = S_IFDIR | 0755;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	set_nlink(inode, 2);
	root = d_make_root(inode);
	if (!root)
		return -ENOMEM;
	s->s_root = root;
	for (unsigned long i = 0; !err && (!files->name || *files->name);
	     i++, files++)
		if (files->name)
			err = fill_one(s, root, files, i);
	return err;
}

static const struct super_operations pseudo_super_operations = {
	.statfs	= simple_statfs,
};

/* For what no path leads to; its root is only there because there must be. */
struct dentry *mount_pseudo(struct file_system_type *type, const char *name,
			    const struct super_operations *ops,
			    const struct dentry_operations *dops,
			    unsigned long magic)
{
	struct super_block *s = sget(type, NULL, set_anon_super,
				     SB_KERNMOUNT | SB_NOUSER, NULL);
	struct inode *root;

	if (IS_ERR(s))
		return ERR_CAST(s);
	s->s_maxbytes = MAX_LFS_FILESIZE;
	s->s_magic = magic;
	s->s_op = ops ? ops : &pseudo_super_operations;
	s->s_d_op = dops;
	root = new_inode(s);
	if (root) {
		root->i_ino = 1;
		root->i_mode = S_IFDIR | 0600;
		s->s_root = d_make_root(root);
	}
	if (!s->s_root) {
		deactivate_locked_super(s);
		return ERR_PTR(-ENOMEM);
	}
	s->s_flags |= SB_ACTIVE;
	return dget(s->s_root);
}
