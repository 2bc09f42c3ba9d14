/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes of what the host serves: their attributes, as the host last said. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "hostfs.h"

/* A link's text, asked for each time. */
static const char *hostfs_get_link(struct dentry *dentry, struct inode *inode,
				   struct delayed_call *done)
{
	struct hostfs_request *req;
	char *text = NULL;
	long len;

	if (!dentry)
		return ERR_PTR(-ECHILD);
	req = hostfs_alloc(FS_READLINK, hostfs_node(inode), PAGE_SIZE);
	if (!req)
		return ERR_PTR(-ENOMEM);
	len = hostfs_ask(req);
	if (len >= PAGE_SIZE)
		len = -ENAMETOOLONG;
	if (len >= 0) {
		text = kmalloc(len + 1, GFP_KERNEL);
		if (!text)
			len = -ENOMEM;
	}
	if (text) {
		memcpy(text, page_address(req->pages[0]), len);
		text[len] = '\0';
		set_delayed_call(done, (void (*)(void *))kfree, text);
	}
	hostfs_free(req);
	return text ? text : ERR_PTR(len);
}

static const struct inode_operations hostfs_file_inode_operations = {
	.setattr	= hostfs_setattr,
	.getattr	= hostfs_getattr,
};

static const struct inode_operations hostfs_symlink_inode_operations = {
	.get_link	= hostfs_get_link,
	.setattr	= hostfs_setattr,
	.getattr	= hostfs_getattr,
};

/* A device or a FIFO of the host's is there to be seen only. */
static int hostfs_special_open(struct inode *inode, struct file *file)
{
	return -ENXIO;
}

static const struct file_operations hostfs_special_operations = {
	.open	= hostfs_special_open,
};

static void hostfs_set_operations(struct inode *inode)
{
	inode->i_op = &hostfs_file_inode_operations;
	switch (inode->i_mode & S_IFMT) {
	case S_IFREG:
		inode->i_fop = &hostfs_file_operations;
		inode->i_mapping->a_ops = &hostfs_aops;
		break;
	case S_IFDIR:
		inode->i_op = inode->i_sb->s_fs_info;
		inode->i_fop = &hostfs_dir_operations;
		break;
	case S_IFLNK:
		inode->i_op = &hostfs_symlink_inode_operations;
		break;
	default:
		inode->i_fop = &hostfs_special_operations;
	}
}

static void hostfs_store(struct inode *inode, const struct file_attr *attr)
{
	inode->i_mode = attr->mode;
	set_nlink(inode, attr->nlink);
	i_size_write(inode, attr->size);
	inode->i_blocks = DIV_ROUND_UP(attr->size, 512);
	if (attr->mtime_nsec == FILE_NO_TIME)
		return;
	inode->i_mtime.tv_sec = attr->mtime_sec;
	inode->i_mtime.tv_nsec = attr->mtime_nsec;
	inode->i_atime = inode->i_ctime = inode->i_mtime;
}

/*
 * What the host says now. A file that has changed there is read anew; -ESTALE:
 * it is something else.
 */
int hostfs_update(struct inode *inode, const struct file_attr *attr)
{
	bool changed = i_size_read(inode) != (loff_t)attr->size ||
		       (attr->mtime_nsec != FILE_NO_TIME &&
			(inode->i_mtime.tv_sec != attr->mtime_sec ||
			 inode->i_mtime.tv_nsec != attr->mtime_nsec));

	if ((inode->i_mode ^ attr->mode) & S_IFMT)
		return -ESTALE;
	hostfs_store(inode, attr);
	if (changed && S_ISREG(inode->i_mode) && inode->i_mapping->nrpages)
		truncate_inode_pages(inode->i_mapping, 0);
	return 0;
}

/* The inode of an answer, new or known. */
struct inode *hostfs_iget(struct super_block *sb, const struct file_attr *attr)
{
	struct inode *inode = iget_locked(sb, attr->ino);
	int err;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	if (inode->i_state & I_NEW) {
		inode->i_private = (void *)attr->node;
		inode->i_atime = inode->i_mtime = inode->i_ctime =
			current_time(inode);
		hostfs_store(inode, attr);
		hostfs_set_operations(inode);
		unlock_new_inode(inode);
		return inode;
	}
	err = hostfs_update(inode, attr);
	if (err) {
		iput(inode);
		return ERR_PTR(err);
	}
	return inode;
}

/* Asks for the attributes. */
int hostfs_refresh(struct inode *inode)
{
	struct hostfs_request *req =
		hostfs_alloc(FS_GETATTR, hostfs_node(inode), 0);
	long err;

	if (!req)
		return -ENOMEM;
	err = hostfs_ask(req);
	if (!err)
		err = hostfs_update(inode, &req->fr.attr);
	hostfs_free(req);
	return err;
}

/* Of what was removed while it was open, only we still know something. */
int hostfs_getattr(const struct path *path, struct kstat *stat,
		   u32 request_mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);
	int err = hostfs_refresh(inode);

	if (err && err != -ESTALE && err != -ENOENT)
		return err;
	generic_fillattr(inode, stat);
	return 0;
}

/* Owners are not the guest's to change, and other times follow. */
int hostfs_setattr(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct hostfs_request *req;
	long err = setattr_prepare(dentry, attr);

	if (err)
		return err;
	/* What is the host's has one owner here. */
	if ((attr->ia_valid & ATTR_UID && attr->ia_uid != inode->i_uid) ||
	    (attr->ia_valid & ATTR_GID && attr->ia_gid != inode->i_gid))
		return -EPERM;
	req = hostfs_alloc(FS_SETATTR, hostfs_node(inode), 0);
	if (!req)
		return -ENOMEM;
	if (attr->ia_valid & ATTR_MODE) {
		req->fr.flags |= FS_SET_MODE;
		req->fr.mode = attr->ia_mode & S_IALLUGO;
	}
	if (attr->ia_valid & ATTR_SIZE) {
		req->fr.flags |= FS_SET_SIZE;
		req->fr.size = attr->ia_size;
	}
	if (attr->ia_valid & ATTR_MTIME_SET) {
		req->fr.flags |= FS_SET_MTIME;
		req->fr.mtime_sec = attr->ia_mtime.tv_sec;
		req->fr.mtime_nsec = attr->ia_mtime.tv_nsec;
	} else if ((attr->ia_valid & (ATTR_MTIME | ATTR_SIZE)) == ATTR_MTIME) {
		struct timespec64 now = current_time(inode);

		req->fr.flags |= FS_SET_MTIME;
		req->fr.mtime_sec = now.tv_sec;
		req->fr.mtime_nsec = now.tv_nsec;
	}
	if (req->fr.flags) {
		err = hostfs_ask(req);
		if (!err)
			err = hostfs_update(inode, &req->fr.attr);
	}
	hostfs_free(req);
	return err;
}
