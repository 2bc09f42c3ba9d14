/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading, writing and seeking in open files. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "../internal.h"

static inline loff_t vfs_setpos(struct file *file, loff_t offset)
{
	if (offset < 0)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

/* A file is all data, and the hole is behind it. */
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t size = i_size_read(file->f_mapping->host);
	loff_t base = 0;

	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		base = file->f_pos;
		break;
	case SEEK_END:
		base = size;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		if (offset < 0 || offset >= size)
			return -ENXIO;
		if (whence == SEEK_HOLE)
			offset = size;
		break;
	default:
		return -EINVAL;
	}
	if (offset > MAX_LFS_FILESIZE - base)
		return -EINVAL;
	return vfs_setpos(file, base + offset);
}

/* For what has no position: any seek succeeds and does nothing. */
loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	return file->f_pos;
}

loff_t vfs_llseek(struct file *file, loff_t offset, int whence)
{
	if (!(file->f_mode & FMODE_LSEEK))
		return -ESPIPE;
	return file->f_op->llseek(file, offset, whence);
}

static loff_t ksys_lseek(unsigned int fd, loff_t offset, unsigned int whence)
{
	struct fd f = fdget_pos(fd);
	loff_t ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_llseek(f.file, offset, whence);
	fdput_pos(f);
	return ret;
}

SYSCALL_DEFINE3(lseek, unsigned int, fd, off_t, offset, unsigned int, whence)
{
	return ksys_lseek(fd, offset, whence);
}

SYSCALL_DEFINE5(llseek, unsigned int, fd, unsigned long, offset_high,
		unsigned long, offset_low, loff_t __user *, result,
		unsigned int, whence)
{
	loff_t ret = ksys_lseek(fd, offset_high << 32 | offset_low, whence);

	if (ret < 0)
		return ret;
	return put_user(ret, result);
}

/*
 * Whether a transfer at @pos makes sense: what is beyond MAX_LFS_FILESIZE is
 * negative.
 */
int rw_verify_area(const struct file *file, const loff_t *pos, size_t count)
{
	u64 start = pos ? *pos : 0;

	return (s64)(start | count | (start + count)) < 0 ? -EINVAL : 0;
}

/*
 * What reading and writing share has @write and is inline: a trace shows
 * vfs_read() or vfs_write(), and then what the file system does. @pos is NULL
 * for streams.
 */

/* What a file can do is among what it was opened for. */
static inline int rw_error(const struct file *file, bool write)
{
	if (file->f_mode & (write ? FMODE_CAN_WRITE : FMODE_CAN_READ))
		return 0;
	return file->f_mode & (write ? FMODE_WRITE : FMODE_READ) ? -EINVAL :
								  -EBADF;
}

static inline bool has_iter(const struct file *file, bool write)
{
	return write ? file->f_op->write_iter : file->f_op->read_iter;
}

static inline ssize_t rw_iter(struct file *file, struct iov_iter *iter,
			      loff_t *pos, bool write)
{
	loff_t zero = 0, *start = pos ? pos : &zero;
	struct kiocb kiocb = { .ki_filp = file, .ki_pos = *start };
	ssize_t ret = write ? file->f_op->write_iter(&kiocb, iter) :
			      file->f_op->read_iter(&kiocb, iter);

	*start = kiocb.ki_pos;
	return ret;
}

ssize_t vfs_iter_write(struct file *file, struct iov_iter *iter, loff_t *pos)
{
	int err = rw_error(file, true);

	if (!err)
		err = rw_verify_area(file, pos, iov_iter_count(iter));
	return err ? err : rw_iter(file, iter, pos, true);
}

/* For files that have ->read and ->write alone. */
static inline ssize_t rw_buffer(struct file *file, void __user *buf,
				size_t count, loff_t *pos, bool write)
{
	loff_t zero = 0;

	count = min_t(size_t, count, MAX_RW_COUNT);
	if (!access_ok(buf, count))
		return -EFAULT;
	if (!pos)
		pos = &zero;
	return write ? file->f_op->write(file, buf, count, pos) :
		       file->f_op->read(file, buf, count, pos);
}

/* Segment by segment; stops at the first that is not moved whole. */
static inline ssize_t rw_segments(struct file *file, struct iov_iter *iter,
				  loff_t *pos, bool write)
{
	ssize_t done = 0;

	while (iov_iter_count(iter)) {
		const struct iovec *iov = iter->iov++;
		ssize_t n;

		if (!iov->iov_len)
			continue;
		n = rw_buffer(file, iov->iov_base, iov->iov_len, pos, write);
		if (n < 0)
			return done ? done : n;
		done += n;
		iter->count -= iov->iov_len;
		if (n < iov->iov_len)
			break;
	}
	return done;
}

static inline ssize_t vfs_rw(struct file *file, void __user *buf, size_t count,
			     loff_t *pos, bool write)
{
	struct iov_iter iter;
	struct iovec iov;
	int err = rw_error(file, write);

	if (err)
		return err;
	err = rw_verify_area(file, pos, count);
	if (err)
		return err;
	if (!has_iter(file, write))
		return rw_buffer(file, buf, count, pos, write);
	err = import_single_range(buf, count, &iov, &iter);
	if (err)
		return err;
	return rw_iter(file, &iter, pos, write);
}

ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return vfs_rw(file, buf, count, pos, false);
}

ssize_t vfs_write(struct file *file, const char __user *buf, size_t count,
		  loff_t *pos)
{
	return vfs_rw(file, (void __user *)buf, count, pos, true);
}

static inline ssize_t vfs_rwv(struct file *file, const struct iovec __user *vec,
			      unsigned long vlen, loff_t *pos, bool write)
{
	struct iovec fast[UIO_FASTIOV], *iov = fast;
	struct iov_iter iter;
	ssize_t ret = rw_error(file, write);

	if (ret)
		return ret;
	ret = import_iovec(vec, vlen, &iov, &iter);
	if (ret < 0)
		return ret;
	ret = rw_verify_area(file, pos, ret);
	if (!ret)
		ret = has_iter(file, write) ?
		      rw_iter(file, &iter, pos, write) :
		      rw_segments(file, &iter, pos, write);
	kfree(iov);
	return ret;
}

static ssize_t vfs_readv(struct file *file, const struct iovec __user *vec,
			 unsigned long vlen, loff_t *pos)
{
	return vfs_rwv(file, vec, vlen, pos, false);
}

static ssize_t vfs_writev(struct file *file, const struct iovec __user *vec,
			  unsigned long vlen, loff_t *pos)
{
	return vfs_rwv(file, vec, vlen, pos, true);
}

static inline int kernel_rw_error(struct file *file, size_t count,
				  const loff_t *pos, bool write)
{
	int ret = rw_error(file, write);

	if (!ret && !has_iter(file, write))
		ret = -EINVAL;
	return ret ? ret : rw_verify_area(file, pos, count);
}

static inline ssize_t kernel_rw(struct file *file, void *buf, size_t count,
				loff_t *pos, bool write)
{
	struct kvec kvec = { .iov_base = buf, .iov_len = count };
	struct iov_iter iter;

	iov_iter_kvec(&iter, &kvec, count);
	return rw_iter(file, &iter, pos, write);
}

static ssize_t __kernel_read(struct file *file, void *buf, size_t count,
			     loff_t *pos)
{
	return kernel_rw(file, buf, count, pos, false);
}

ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos)
{
	int err = kernel_rw_error(file, count, pos, false);

	return err ? err : __kernel_read(file, buf, count, pos);
}

ssize_t kernel_write(struct file *file, const void *buf, size_t count,
		     loff_t *pos)
{
	int err = kernel_rw_error(file, count, pos, true);

	return err ? err : kernel_rw(file, (void *)buf, count, pos, true);
}

/* @vector: @buf is @count segments. */
static inline ssize_t file_rw(struct file *file, void __user *buf, size_t count,
			      loff_t *pos, bool write, bool vector)
{
	if (vector)
		return write ? vfs_writev(file, buf, count, pos) :
			       vfs_readv(file, buf, count, pos);
	return write ? vfs_write(file, buf, count, pos) :
		       vfs_read(file, buf, count, pos);
}

/* At the file's own position, if it has one. */
static inline ssize_t fd_rw(unsigned int fd, void __user *buf, size_t count,
			    bool write, bool vector)
{
	struct fd f = fdget_pos(fd);
	loff_t *pos;
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	pos = f.file->f_mode & FMODE_LSEEK ? &f.file->f_pos : NULL;
	ret = file_rw(f.file, buf, count, pos, write, vector);
	fdput_pos(f);
	return ret;
}

static ssize_t ksys_read(unsigned int fd, char __user *buf, size_t count)
{
	return fd_rw(fd, buf, count, false, false);
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return ksys_read(fd, buf, count);
}

static ssize_t ksys_write(unsigned int fd, const char __user *buf, size_t count)
{
	return fd_rw(fd, (void __user *)buf, count, true, false);
}

SYSCALL_DEFINE3(write, unsigned int, fd, const char __user *, buf,
		size_t, count)
{
	return ksys_write(fd, buf, count);
}

SYSCALL_DEFINE3(readv, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen)
{
	return fd_rw(fd, (void __user *)vec, vlen, false, true);
}

SYSCALL_DEFINE3(writev, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen)
{
	return fd_rw(fd, (void __user *)vec, vlen, true, true);
}

static inline ssize_t fd_rw_at(unsigned int fd, void __user *buf, size_t count,
			       loff_t pos, bool write, bool vector)
{
	struct fd f = fdget(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	if (f.file->f_mode & FMODE_LSEEK)
		ret = file_rw(f.file, buf, count, &pos, write, vector);
	else
		ret = -ESPIPE;
	fdput(f);
	return ret;
}

SYSCALL_DEFINE4(pread64, unsigned int, fd, char __user *, buf, size_t, count,
		loff_t, pos)
{
	return fd_rw_at(fd, buf, count, pos, false, false);
}

SYSCALL_DEFINE4(pwrite64, unsigned int, fd, const char __user *, buf,
		size_t, count, loff_t, pos)
{
	return fd_rw_at(fd, (void __user *)buf, count, pos, true, false);
}

/* @pos_h is for machines whose registers do not hold a position. */
SYSCALL_DEFINE5(preadv, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen, unsigned long, pos_l, unsigned long, pos_h)
{
	return fd_rw_at(fd, (void __user *)vec, vlen, pos_l, false, true);
}

SYSCALL_DEFINE5(pwritev, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen, unsigned long, pos_l, unsigned long, pos_h)
{
	return fd_rw_at(fd, (void __user *)vec, vlen, pos_l, true, true);
}
