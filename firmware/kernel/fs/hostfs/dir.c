/* SPDX-License-Identifier: GPL-2.0-only */
/* Names in directories that the host serves. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "hostfs.h"

/* A request about a name in a directory, and perhaps a text. */
static struct hostfs_request *hostfs_name_request(u32 op, struct inode *dir,
						  const struct dentry *dentry,
						  const char *text)
{
	struct hostfs_request *req =
		hostfs_alloc(op, hostfs_node(dir), PAGE_SIZE);
	int err;

	if (!req)
		return ERR_PTR(-ENOMEM);
	err = hostfs_set_names(req, &dentry->d_name, text,
			       text ? strlen(text) : 0);
	if (err) {
		hostfs_free(req);
		return ERR_PTR(err);
	}
	return req;
}

struct dentry *hostfs_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	struct hostfs_request *req;
	struct inode *inode;
	long err;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	req = hostfs_name_request(FS_LOOKUP, dir, dentry, NULL);
	if (IS_ERR(req))
		return ERR_CAST(req);
	err = hostfs_ask(req);
	if (err == -ENOENT)
		inode = NULL;
	else if (err)
		inode = ERR_PTR(err);
	else
		inode = hostfs_iget(dir->i_sb, &req->fr.attr);
	hostfs_free(req);
	return d_splice_alias(inode, dentry);
}

/* The host may have changed the directory: is it still the same file? */
static int hostfs_d_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct inode *inode = d_inode(dentry);
	struct hostfs_request *req;
	struct dentry *parent;
	long err;

	if (IS_ROOT(dentry))
		return 1;
	parent = dget_parent(dentry);
	req = hostfs_name_request(FS_LOOKUP, d_inode(parent), dentry, NULL);
	dput(parent);
	if (IS_ERR(req))
		return PTR_ERR(req);
	err = hostfs_ask(req);
	if (err == -ENOENT)
		err = !inode;
	else if (!err && inode && req->fr.attr.node == hostfs_node(inode))
		err = !hostfs_update(inode, &req->fr.attr);
	else
		err = 0;
	hostfs_free(req);
	return err;
}

const struct dentry_operations hostfs_dentry_operations = {
	.d_revalidate	= hostfs_d_revalidate,
};

/* Asks for something new under the dentry's name, and gives it to it. */
static int hostfs_make(struct hostfs_request *req, struct inode *dir,
		       struct dentry *dentry)
{
	struct inode *inode;
	long err = hostfs_ask(req);

	if (!err) {
		inode = hostfs_iget(dir->i_sb, &req->fr.attr);
		err = PTR_ERR_OR_ZERO(inode);
		if (!err)
			d_instantiate(dentry, inode);
		hostfs_refresh(dir);
	}
	hostfs_free(req);
	return err;
}

static int hostfs_mode_op(u32 op, struct inode *dir, struct dentry *dentry,
			  umode_t mode)
{
	struct hostfs_request *req = hostfs_name_request(op, dir, dentry, NULL);

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->fr.mode = mode & S_IALLUGO;
	return hostfs_make(req, dir, dentry);
}

static int hostfs_create(struct inode *dir, struct dentry *dentry,
			 umode_t mode, bool excl)
{
	return hostfs_mode_op(FS_CREATE, dir, dentry, mode);
}

int hostfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	return hostfs_mode_op(FS_MKDIR, dir, dentry, mode);
}

static int hostfs_symlink(struct inode *dir, struct dentry *dentry,
			  const char *target)
{
	struct hostfs_request *req =
		hostfs_name_request(FS_SYMLINK, dir, dentry, target);

	return IS_ERR(req) ? PTR_ERR(req) : hostfs_make(req, dir, dentry);
}

static int hostfs_link(struct dentry *old_dentry, struct inode *dir,
		       struct dentry *dentry)
{
	struct hostfs_request *req =
		hostfs_name_request(FS_LINK, dir, dentry, NULL);
	int err;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->fr.other = hostfs_node(d_inode(old_dentry));
	err = hostfs_make(req, dir, dentry);
	if (!err)
		hostfs_refresh(d_inode(old_dentry));
	return err;
}

/* The links of what has none left are the host's business no more. */
static int hostfs_remove(u32 op, struct inode *dir, struct dentry *dentry)
{
	struct hostfs_request *req = hostfs_name_request(op, dir, dentry, NULL);
	struct inode *inode = d_inode(dentry);
	long err;

	if (IS_ERR(req))
		return PTR_ERR(req);
	err = hostfs_ask_once(req);
	if (err)
		return err;
	if (op == FS_RMDIR)
		clear_nlink(inode);
	else if (inode->i_nlink)
		drop_nlink(inode);
	hostfs_refresh(dir);
	return 0;
}

static int hostfs_unlink(struct inode *dir, struct dentry *dentry)
{
	return hostfs_remove(FS_UNLINK, dir, dentry);
}

int hostfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	return hostfs_remove(FS_RMDIR, dir, dentry);
}

static int hostfs_rename(struct inode *old_dir, struct dentry *old_dentry,
			 struct inode *new_dir, struct dentry *new_dentry,
			 unsigned int flags)
{
	struct inode *replaced = d_inode(new_dentry);
	struct hostfs_request *req;
	long err;

	if (flags)
		return -EINVAL;
	req = hostfs_alloc(FS_RENAME, hostfs_node(old_dir), PAGE_SIZE);
	if (!req)
		return -ENOMEM;
	req->fr.other = hostfs_node(new_dir);
	err = hostfs_set_names(req, &old_dentry->d_name,
			       new_dentry->d_name.name, new_dentry->d_name.len);
	if (!err)
		err = hostfs_ask(req);
	hostfs_free(req);
	if (err)
		return err;
	if (replaced && replaced->i_nlink)
		drop_nlink(replaced);
	hostfs_refresh(old_dir);
	if (new_dir != old_dir)
		hostfs_refresh(new_dir);
	return 0;
}

const struct inode_operations hostfs_dir_inode_operations = {
	.lookup		= hostfs_lookup,
	.create		= hostfs_create,
	.link		= hostfs_link,
	.unlink		= hostfs_unlink,
	.symlink	= hostfs_symlink,
	.mkdir		= hostfs_mkdir,
	.rmdir		= hostfs_rmdir,
	.rename		= hostfs_rename,
	.setattr	= hostfs_setattr,
	.getattr	= hostfs_getattr,
};
