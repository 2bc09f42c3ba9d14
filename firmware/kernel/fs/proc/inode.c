/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes of /proc, and the files of its entries. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "internal.h"

static struct kmem_cache *proc_inode_cachep;

static struct inode *proc_alloc_inode(struct super_block *sb)
{
	struct proc_inode *ei = kmem_cache_zalloc(proc_inode_cachep,
						  GFP_KERNEL);

	return ei ? &ei->vfs_inode : NULL;
}

static void proc_free_inode(struct inode *inode)
{
	kmem_cache_free(proc_inode_cachep, PROC_I(inode));
}

static void proc_evict_inode(struct inode *inode)
{
	struct proc_inode *ei = PROC_I(inode);

	truncate_inode_pages(&inode->i_data, 0);
	clear_inode(inode);
	if (ei->pid)
		put_pid(ei->pid);
	if (ei->pde)
		pde_put(ei->pde);
	if (ei->sysctl)
		sysctl_head_put(ei->sysctl);
}

const struct super_operations proc_sops = {
	.alloc_inode	= proc_alloc_inode,
	.free_inode	= proc_free_inode,
	.drop_inode	= generic_delete_inode,
	.evict_inode	= proc_evict_inode,
	.statfs		= simple_statfs,
};

void proc_init_kmemcache(void)
{
	proc_inode_cachep = KMEM_CACHE(proc_inode, SLAB_PANIC);
}

static ssize_t proc_reg_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct proc_dir_entry *pde = PDE(file_inode(iocb->ki_filp));
	ssize_t ret = -EIO;

	if (use_pde(pde)) {
		ret = pde->proc_ops ? pde->proc_ops->proc_read_iter(iocb, iter)
				    : seq_read_iter(iocb, iter);
		unuse_pde(pde);
	}
	return ret;
}

static ssize_t proc_reg_read(struct file *file, char __user *buf, size_t count,
			     loff_t *pos)
{
	struct proc_dir_entry *pde = PDE(file_inode(file));
	ssize_t ret = -EIO;

	if (use_pde(pde)) {
		if (pde->proc_ops->proc_read)
			ret = pde->proc_ops->proc_read(file, buf, count, pos);
		unuse_pde(pde);
	}
	return ret;
}

static ssize_t proc_reg_write(struct file *file, const char __user *buf,
			      size_t count, loff_t *pos)
{
	struct proc_dir_entry *pde = PDE(file_inode(file));
	ssize_t ret = -EIO;

	if (use_pde(pde)) {
		if (pde->proc_ops && pde->proc_ops->proc_write)
			ret = pde->proc_ops->proc_write(file, buf, count, pos);
		unuse_pde(pde);
	}
	return ret;
}

static loff_t proc_reg_llseek(struct file *file, loff_t offset, int whence)
{
	struct proc_dir_entry *pde = PDE(file_inode(file));
	loff_t ret = -EINVAL;

	if (use_pde(pde)) {
		if (!pde->proc_ops)
			ret = seq_lseek(file, offset, whence);
		else if (pde->proc_ops->proc_lseek)
			ret = pde->proc_ops->proc_lseek(file, offset, whence);
		else
			ret = -ESPIPE;
		unuse_pde(pde);
	}
	return ret;
}

static __poll_t proc_reg_poll(struct file *file, poll_table *wait)
{
	struct proc_dir_entry *pde = PDE(file_inode(file));
	__poll_t ret = DEFAULT_POLLMASK;

	if (use_pde(pde)) {
		if (pde->proc_ops && pde->proc_ops->proc_poll)
			ret = pde->proc_ops->proc_poll(file, wait);
		unuse_pde(pde);
	}
	return ret;
}

static int pde_open(struct proc_dir_entry *pde, struct inode *inode,
		    struct file *file)
{
	int err;

	if (pde->single_show)
		return single_open(file, pde->single_show, pde->data);
	if (!pde->seq_ops)
		return pde->proc_ops->proc_open ?
		       pde->proc_ops->proc_open(inode, file) : 0;
	err = seq_open(file, pde->seq_ops);
	if (!err)
		((struct seq_file *)file->private_data)->private = pde->data;
	return err;
}

static int proc_reg_open(struct inode *inode, struct file *file)
{
	struct proc_dir_entry *pde = PDE(inode);
	int err = -ENOENT;

	if (use_pde(pde)) {
		err = pde_open(pde, inode, file);
		unuse_pde(pde);
	}
	return err;
}

/* What the entry itself allocated is lost if the entry is gone by now. */
static int proc_reg_release(struct inode *inode, struct file *file)
{
	struct proc_dir_entry *pde = PDE(inode);

	if (pde->single_show)
		return single_release(inode, file);
	if (pde->seq_ops)
		return seq_release(inode, file);
	if (use_pde(pde)) {
		if (pde->proc_ops->proc_release)
			pde->proc_ops->proc_release(inode, file);
		unuse_pde(pde);
	}
	return 0;
}

static const struct file_operations proc_reg_file_ops = {
	.llseek		= proc_reg_llseek,
	.read		= proc_reg_read,
	.write		= proc_reg_write,
	.poll		= proc_reg_poll,
	.open		= proc_reg_open,
	.release	= proc_reg_release,
};

static const struct file_operations proc_iter_file_ops = {
	.llseek		= proc_reg_llseek,
	.read_iter	= proc_reg_read_iter,
	.splice_read	= generic_file_splice_read,
	.write		= proc_reg_write,
	.poll		= proc_reg_poll,
	.open		= proc_reg_open,
	.release	= proc_reg_release,
};

static const char *proc_get_link(struct dentry *dentry, struct inode *inode,
				 struct delayed_call *done)
{
	return PDE(inode)->link;
}

const struct inode_operations proc_link_inode_operations = {
	.get_link	= proc_get_link,
};

/* Not the size: that is no business of O_TRUNC's here. */
int proc_setattr(struct dentry *dentry, struct iattr *attr)
{
	attr->ia_valid &= ~ATTR_SIZE;
	setattr_copy(d_inode(dentry), attr);
	return 0;
}

static const struct inode_operations proc_file_inode_operations = {
	.setattr	= proc_setattr,
};

/* Takes over the reference to @de, whatever comes of it. */
struct inode *proc_get_inode(struct super_block *sb, struct proc_dir_entry *de)
{
	struct inode *inode = new_inode(sb);

	if (!inode) {
		pde_put(de);
		return NULL;
	}
	PROC_I(inode)->pde = de;
	inode->i_ino = de->low_ino;
	inode->i_mode = de->mode;
	inode->i_size = de->size;
	set_nlink(inode, de->nlink);
	inode->i_op = de->proc_iops ? de->proc_iops :
				      &proc_file_inode_operations;
	if (S_ISDIR(de->mode))
		inode->i_fop = de->proc_dir_ops;
	else if (de->proc_ops && !de->proc_ops->proc_read_iter)
		inode->i_fop = &proc_reg_file_ops;
	else
		inode->i_fop = &proc_iter_file_ops;
	return inode;
}
