/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be done with names. */
#include <linux/err.h>
#include <linux/pagemap.h>

#include "ext2.h"

static struct dentry *ext2_lookup(struct inode *dir, struct dentry *dentry,
				  unsigned int flags)
{
	struct inode *inode = NULL;
	u32 ino;
	int err;

	if (dentry->d_name.len > EXT2_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	err = ext2_inode_by_name(dir, &dentry->d_name, &ino);
	if (err && err != -ENOENT)
		return ERR_PTR(err);
	if (!err) {
		inode = ext2_iget(dir->i_sb, ino);
		if (inode == ERR_PTR(-ESTALE)) {
			ext2_error(dir->i_sb, __func__,
				   "deleted inode referenced: %u", ino);
			return ERR_PTR(-EIO);
		}
		if (inode == ERR_PTR(-EINVAL))
			return ERR_PTR(-EIO);
	}
	return d_splice_alias(inode, dentry);
}

/* Gives a new file its name; it comes into being or is gone. */
static int ext2_add_nondir(struct dentry *dentry, struct inode *inode)
{
	int err = ext2_add_link(dentry, inode);

	if (!err) {
		d_instantiate_new(dentry, inode);
		return 0;
	}
	clear_nlink(inode);
	discard_new_inode(inode);
	return err;
}

static int ext2_create(struct inode *dir, struct dentry *dentry, umode_t mode,
		       bool excl)
{
	struct inode *inode = ext2_new_inode(dir, mode | S_IFREG);

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	ext2_set_file_ops(inode);
	mark_inode_dirty(inode);
	return ext2_add_nondir(dentry, inode);
}

static int ext2_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
		      dev_t rdev)
{
	struct inode *inode = ext2_new_inode(dir, mode);

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	if (S_ISREG(mode)) {
		ext2_set_file_ops(inode);
	} else {
		init_special_inode(inode, inode->i_mode, rdev);
		inode->i_op = &ext2_special_inode_operations;
	}
	mark_inode_dirty(inode);
	return ext2_add_nondir(dentry, inode);
}

/* Text that is too long for the inode gets a block. */
static int ext2_symlink(struct inode *dir, struct dentry *dentry,
			const char *target)
{
	size_t len = strlen(target) + 1;
	struct super_block *sb = dir->i_sb;
	struct inode *inode;
	int err;

	if (len > sb->s_blocksize)
		return -ENAMETOOLONG;
	inode = ext2_new_inode(dir, S_IFLNK | S_IRWXUGO);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	if (len > sizeof(EXT2_I(inode)->i_data)) {
		inode->i_op = &ext2_symlink_inode_operations;
		inode->i_mapping->a_ops = &ext2_aops;
		err = page_symlink(inode, target, len);
		if (err) {
			clear_nlink(inode);
			discard_new_inode(inode);
			return err;
		}
	} else {
		inode->i_op = &ext2_fast_symlink_inode_operations;
		inode->i_link = (char *)EXT2_I(inode)->i_data;
		memcpy(inode->i_link, target, len);
		inode->i_size = len - 1;
	}
	mark_inode_dirty(inode);
	return ext2_add_nondir(dentry, inode);
}

static int ext2_link(struct dentry *old_dentry, struct inode *dir,
		     struct dentry *dentry)
{
	struct inode *inode = d_inode(old_dentry);
	int err;

	if (inode->i_nlink >= EXT2_LINK_MAX)
		return -EMLINK;
	inode->i_ctime = current_time(inode);
	inc_nlink(inode);
	ihold(inode);
	err = ext2_add_link(dentry, inode);
	if (!err) {
		mark_inode_dirty(inode);
		d_instantiate(dentry, inode);
		return 0;
	}
	drop_nlink(inode);
	iput(inode);
	return err;
}

static int ext2_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	struct inode *inode;
	int err;

	if (dir->i_nlink >= EXT2_LINK_MAX)
		return -EMLINK;
	inode = ext2_new_inode(dir, S_IFDIR | mode);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	inode->i_op = &ext2_dir_inode_operations;
	inode->i_fop = &ext2_dir_operations;
	inode->i_mapping->a_ops = &ext2_aops;
	inc_nlink(inode);	/* its "." */
	inc_nlink(dir);		/* its ".." */
	err = ext2_make_empty(inode, dir);
	if (!err)
		err = ext2_add_link(dentry, inode);
	if (err) {
		drop_nlink(dir);
		clear_nlink(inode);
		mark_inode_dirty(inode);
		discard_new_inode(inode);
		return err;
	}
	mark_inode_dirty(dir);
	mark_inode_dirty(inode);
	d_instantiate_new(dentry, inode);
	return 0;
}

/* A link count on the disk may be wrong: it does not go below zero. */
static void dec_link(struct inode *inode)
{
	if (inode->i_nlink)
		drop_nlink(inode);
	mark_inode_dirty(inode);
}

static int ext2_unlink(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	struct page *page;
	ext2_dirent *de;
	int err;

	de = ext2_find_entry(dir, &dentry->d_name, &page);
	if (IS_ERR(de))
		return PTR_ERR(de);
	err = ext2_delete_entry(dir, de, page);
	if (err)
		return err;
	inode->i_ctime = dir->i_ctime;
	dec_link(inode);
	return 0;
}

static int ext2_rmdir(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	int err;

	if (!ext2_empty_dir(inode))
		return -ENOTEMPTY;
	err = ext2_unlink(dir, dentry);
	if (err)
		return err;
	inode->i_size = 0;
	dec_link(inode);
	dec_link(dir);
	return 0;
}

/* The new name is taken away from what has it, or added. */
static int take_name(struct inode *old_inode, struct inode *new_dir,
		     struct dentry *new_dentry, bool is_dir)
{
	struct inode *new_inode = d_inode(new_dentry);
	struct page *page;
	ext2_dirent *de;
	int err;

	if (!new_inode) {
		err = ext2_add_link(new_dentry, old_inode);
		if (!err && is_dir) {
			inc_nlink(new_dir);
			mark_inode_dirty(new_dir);
		}
		return err;
	}
	if (is_dir && !ext2_empty_dir(new_inode))
		return -ENOTEMPTY;
	de = ext2_find_entry(new_dir, &new_dentry->d_name, &page);
	if (IS_ERR(de))
		return PTR_ERR(de);
	err = ext2_set_link(new_dir, de, page, old_inode, true);
	put_page(page);
	if (err)
		return err;
	new_inode->i_ctime = current_time(new_inode);
	if (is_dir)
		dec_link(new_inode);
	dec_link(new_inode);
	return 0;
}

static int ext2_rename(struct inode *old_dir, struct dentry *old_dentry,
		       struct inode *new_dir, struct dentry *new_dentry,
		       unsigned int flags)
{
	struct inode *old_inode = d_inode(old_dentry);
	bool is_dir = S_ISDIR(old_inode->i_mode);
	struct page *page, *dir_page = NULL;
	ext2_dirent *de, *dotdot = NULL;
	int err;

	if (flags & ~RENAME_NOREPLACE)
		return -EINVAL;
	if (is_dir && !d_inode(new_dentry) && old_dir != new_dir &&
	    new_dir->i_nlink >= EXT2_LINK_MAX)
		return -EMLINK;
	if (is_dir && old_dir != new_dir) {
		dotdot = ext2_dotdot(old_inode, &dir_page);
		if (IS_ERR(dotdot))
			return PTR_ERR(dotdot);
	}
	err = take_name(old_inode, new_dir, new_dentry, is_dir);
	if (err)
		goto out;
	/* Looked for only now: adding may have moved the room it is in. */
	de = ext2_find_entry(old_dir, &old_dentry->d_name, &page);
	err = PTR_ERR_OR_ZERO(de);
	if (!err)
		err = ext2_delete_entry(old_dir, de, page);
	if (err)
		goto out;
	old_inode->i_ctime = current_time(old_inode);
	mark_inode_dirty(old_inode);
	if (is_dir) {
		if (dotdot)
			err = ext2_set_link(old_inode, dotdot, dir_page,
					    new_dir, false);
		dec_link(old_dir);
	}
out:
	if (dir_page)
		put_page(dir_page);
	return err;
}

const struct inode_operations ext2_dir_inode_operations = {
	.create		= ext2_create,
	.lookup		= ext2_lookup,
	.link		= ext2_link,
	.unlink		= ext2_unlink,
	.symlink	= ext2_symlink,
	.mkdir		= ext2_mkdir,
	.rmdir		= ext2_rmdir,
	.mknod		= ext2_mknod,
	.rename		= ext2_rename,
	.setattr	= ext2_setattr,
};

const struct inode_operations ext2_special_inode_operations = {
	.setattr	= ext2_setattr,
};
