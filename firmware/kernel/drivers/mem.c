/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/null, /dev/zero, /dev/full, and the nodes of the random devices. */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kmsg.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/splice.h>
#include <linux/uio.h>

#define MEM_MAJOR	1
#define NULL_MINOR	3
#define ZERO_MINOR	5
#define FULL_MINOR	7
#define RANDOM_MINOR	8
#define URANDOM_MINOR	9
#define KMSG_MINOR	11

static ssize_t read_iter_null(struct kiocb *iocb, struct iov_iter *to)
{
	return 0;
}

/* Swallows everything. */
static ssize_t write_iter_null(struct kiocb *iocb, struct iov_iter *from)
{
	return iov_iter_count(from);
}

static ssize_t pipe_to_null(struct pipe_inode_info *pipe,
			    struct pipe_buffer *buf, struct splice_desc *sd)
{
	return sd->len;
}

static ssize_t splice_write_null(struct pipe_inode_info *pipe, struct file *out,
				 loff_t *pos, size_t len, unsigned int flags)
{
	return splice_from_pipe(pipe, len, flags, pipe_to_null);
}

static ssize_t read_iter_zero(struct kiocb *iocb, struct iov_iter *to)
{
	size_t done = 0;

	while (iov_iter_count(to)) {
		size_t n = min(iov_iter_count(to), PAGE_SIZE);
		size_t zeroed = iov_iter_zero(n, to);

		done += zeroed;
		if (zeroed < n)
			return done ? done : -EFAULT;
		if (signal_pending(current))
			return done;
	}
	return done;
}

static ssize_t write_iter_full(struct kiocb *iocb, struct iov_iter *from)
{
	return -ENOSPC;
}

static const struct file_operations null_fops = {
	.llseek		= noop_llseek,
	.read_iter	= read_iter_null,
	.write_iter	= write_iter_null,
	.splice_write	= splice_write_null,
};

/* Memory as if without a file. */
static int mmap_zero(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_file = NULL;
	vma->vm_pgoff = vma->vm_flags & VM_SHARED ?
			0 : vma->vm_start >> PAGE_SHIFT;
	fput(file);
	return 0;
}

static const struct file_operations zero_fops = {
	.mmap		= mmap_zero,
	.llseek		= noop_llseek,
	.read_iter	= read_iter_zero,
	.write_iter	= write_iter_null,
};

static const struct file_operations full_fops = {
	.llseek		= noop_llseek,
	.read_iter	= read_iter_zero,
	.write_iter	= write_iter_full,
};

static int memory_open(struct inode *inode, struct file *file)
{
	switch (MINOR(inode->i_rdev)) {
	case NULL_MINOR:
		file->f_op = &null_fops;
		return 0;
	case ZERO_MINOR:
		file->f_op = &zero_fops;
		return 0;
	case FULL_MINOR:
		file->f_op = &full_fops;
		return 0;
	case RANDOM_MINOR:
		file->f_op = &random_fops;
		return 0;
	case URANDOM_MINOR:
		file->f_op = &urandom_fops;
		return 0;
	case KMSG_MINOR:
		file->f_op = &kmsg_fops;
		return kmsg_fops.open(inode, file);
	}
	return -ENXIO;
}

static const struct file_operations memory_fops = {
	.open	= memory_open,
};

static int __init chr_dev_init(void)
{
	register_chrdev(MEM_MAJOR, &memory_fops);
	device_create("/dev/null", MKDEV(MEM_MAJOR, NULL_MINOR), 0666);
	device_create("/dev/zero", MKDEV(MEM_MAJOR, ZERO_MINOR), 0666);
	device_create("/dev/full", MKDEV(MEM_MAJOR, FULL_MINOR), 0666);
	device_create("/dev/random", MKDEV(MEM_MAJOR, RANDOM_MINOR), 0666);
	device_create("/dev/urandom", MKDEV(MEM_MAJOR, URANDOM_MINOR), 0666);
	device_create("/dev/kmsg", MKDEV(MEM_MAJOR, KMSG_MINOR), 0644);
	return 0;
}
fs_initcall(chr_dev_init);
