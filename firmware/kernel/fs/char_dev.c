/* SPDX-License-Identifier: GPL-2.0-only */
/* Character devices: from a device number to the operations behind it. */
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>

#include "internal.h"

#define CHRDEV_MAJOR_MAX	256

static const struct file_operations *chrdevs[CHRDEV_MAJOR_MAX];

/* All minors of a major are one driver's. Called at boot only. */
int register_chrdev(unsigned int major, const struct file_operations *fops)
{
	if (major >= CHRDEV_MAJOR_MAX)
		return -EINVAL;
	if (chrdevs[major])
		return -EBUSY;
	chrdevs[major] = fops;
	return 0;
}

/* Hands the file over to the driver. */
static int chrdev_open(struct inode *inode, struct file *file)
{
	unsigned int major = MAJOR(inode->i_rdev);

	if (major >= CHRDEV_MAJOR_MAX || !chrdevs[major])
		return -ENXIO;
	file->f_op = chrdevs[major];
	return file->f_op->open ? file->f_op->open(inode, file) : 0;
}

static const struct file_operations def_chr_fops = {
	.open	= chrdev_open,
	.llseek	= noop_llseek,
};

static int no_open(struct inode *inode, struct file *file)
{
	return -ENXIO;
}

const struct file_operations no_open_fops = {
	.open	= no_open,
};

/* A node that is neither file, directory nor link. */
void init_special_inode(struct inode *inode, umode_t mode, dev_t dev)
{
	inode->i_mode = mode;
	if (S_ISCHR(mode))
		inode->i_fop = &def_chr_fops;
	else if (S_ISBLK(mode))
		inode->i_fop = &def_blk_fops;
	else if (S_ISFIFO(mode))
		inode->i_fop = &def_fifo_fops;
	else
		inode->i_fop = &no_open_fops;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		inode->i_rdev = dev;
}
