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

SYSCALL_DEFINE3(lseek, unsigned int, fd, long, offset, unsigned int, whence)
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

/* Whether a transfer at @pos makes sense. */
static int rw_verify_area(const struct file *file, const loff_t *pos,
			  size_t count)
{
	if ((ssize_t)count < 0)
		return -EINVAL;
	if (pos && (*pos < 0 || *pos > (loff_t)(MAX_LFS_FILESIZE - count)))
		return -EINVAL;
	return 0;
}

/* All reading ends up here; @pos is NULL for streams. */
static inline ssize_t new_sync_read(struct file *file, struct iov_iter *iter,
				    loff_t *pos)
{
	struct kiocb kiocb = { .ki_filp = file, .ki_pos = pos ? *pos : 0 };
	ssize_t ret = file->f_op->read_iter(&kiocb, iter);

	if (pos)
		*pos = kiocb.ki_pos;
	return ret;
}

static inline ssize_t new_sync_write(struct file *file, struct iov_iter *iter,
				     loff_t *pos)
{
	struct kiocb kiocb = { .ki_filp = file, .ki_pos = pos ? *pos : 0 };
	ssize_t ret = file->f_op->write_iter(&kiocb, iter);

	if (pos)
		*pos = kiocb.ki_pos;
	return ret;
}

static inline int may_read(const struct file *file)
{
	if (!(file->f_mode & FMODE_READ))
		return -EBADF;
	return file->f_mode & FMODE_CAN_READ ? 0 : -EINVAL;
}

static inline int may_write(const struct file *file)
{
	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	return file->f_mode & FMODE_CAN_WRITE ? 0 : -EINVAL;
}

/* A directory is not read, whatever it was opened for. */
static inline ssize_t read_error(const struct file *file)
{
	return S_ISDIR(file_inode(file)->i_mode) ? -EISDIR : may_read(file);
}

/* For files that have ->read and ->write alone. */
static inline ssize_t vfs_read_buffer(struct file *file, char __user *buf,
				      size_t count, loff_t *pos)
{
	loff_t zero = 0;

	count = min_t(size_t, count, MAX_RW_COUNT);
	if (!access_ok(buf, count))
		return -EFAULT;
	return file->f_op->read(file, buf, count, pos ? pos : &zero);
}

static inline ssize_t vfs_write_buffer(struct file *file,
				       const char __user *buf, size_t count,
				       loff_t *pos)
{
	loff_t zero = 0;

	count = min_t(size_t, count, MAX_RW_COUNT);
	if (!access_ok(buf, count))
		return -EFAULT;
	return file->f_op->write(file, buf, count, pos ? pos : &zero);
}

/* Segment by segment; stops at the first that is not moved whole. */
static inline ssize_t do_loop_readv_writev(struct file *file,
					   struct iov_iter *iter, loff_t *pos,
					   bool write)
{
	ssize_t done = 0;

	while (iov_iter_count(iter)) {
		const struct iovec *iov = iter->iov++;
		ssize_t n;

		if (!iov->iov_len)
			continue;
		n = write ? vfs_write_buffer(file, iov->iov_base, iov->iov_len,
					     pos) :
			    vfs_read_buffer(file, iov->iov_base, iov->iov_len,
					    pos);
		if (n < 0)
			return done ? done : n;
		done += n;
		iter->count -= iov->iov_len;
		if (n < iov->iov_len)
			break;
	}
	return done;
}

ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct iov_iter iter;
	struct iovec iov;
	ssize_t ret = read_error(file);

	if (!ret)
		ret = rw_verify_area(file, pos, count);
	if (!ret && !file->f_op->read_iter)
		return vfs_read_buffer(file, buf, count, pos);
	if (!ret)
		ret = import_single_range(buf, count, &iov, &iter);
	return ret ? ret : new_sync_read(file, &iter, pos);
}

ssize_t vfs_write(struct file *file, const char __user *buf, size_t count,
		  loff_t *pos)
{
	struct iov_iter iter;
	struct iovec iov;
	ssize_t ret = may_write(file);

	if (!ret)
		ret = rw_verify_area(file, pos, count);
	if (!ret && !file->f_op->write_iter)
		return vfs_write_buffer(file, buf, count, pos);
	if (!ret)
		ret = import_single_range((void __user *)buf, count, &iov,
					  &iter);
	return ret ? ret : new_sync_write(file, &iter, pos);
}

static ssize_t vfs_readv(struct file *file, const struct iovec __user *vec,
			 unsigned long vlen, loff_t *pos)
{
	struct iovec fast[UIO_FASTIOV], *iov = fast;
	struct iov_iter iter;
	ssize_t ret = read_error(file);

	if (ret)
		return ret;
	ret = import_iovec(vec, vlen, &iov, &iter);
	if (ret < 0)
		return ret;
	ret = rw_verify_area(file, pos, ret);
	if (!ret)
		ret = file->f_op->read_iter ?
		      new_sync_read(file, &iter, pos) :
		      do_loop_readv_writev(file, &iter, pos, false);
	kfree(iov);
	return ret;
}

static ssize_t vfs_writev(struct file *file, const struct iovec __user *vec,
			  unsigned long vlen, loff_t *pos)
{
	struct iovec fast[UIO_FASTIOV], *iov = fast;
	struct iov_iter iter;
	ssize_t ret = may_write(file);

	if (ret)
		return ret;
	ret = import_iovec(vec, vlen, &iov, &iter);
	if (ret < 0)
		return ret;
	ret = rw_verify_area(file, pos, ret);
	if (!ret)
		ret = file->f_op->write_iter ?
		      new_sync_write(file, &iter, pos) :
		      do_loop_readv_writev(file, &iter, pos, true);
	kfree(iov);
	return ret;
}

static ssize_t __kernel_read(struct file *file, void *buf, size_t count,
			     loff_t *pos)
{
	struct kvec kvec = { .iov_base = buf, .iov_len = count };
	struct iov_iter iter;

	iov_iter_kvec(&iter, &kvec, count);
	return new_sync_read(file, &iter, pos);
}

ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos)
{
	ssize_t ret = read_error(file);

	if (!ret && !file->f_op->read_iter)
		ret = -EINVAL;
	if (!ret)
		ret = rw_verify_area(file, pos, count);
	return ret ? ret : __kernel_read(file, buf, count, pos);
}

ssize_t kernel_write(struct file *file, const void *buf, size_t count,
		     loff_t *pos)
{
	struct kvec kvec = { .iov_base = (void *)buf, .iov_len = count };
	struct iov_iter iter;
	ssize_t ret = may_write(file);

	if (!ret && !file->f_op->write_iter)
		ret = -EINVAL;
	if (!ret)
		ret = rw_verify_area(file, pos, count);
	if (ret)
		return ret;
	iov_iter_kvec(&iter, &kvec, count);
	return new_sync_write(file, &iter, pos);
}

/* NULL for a stream: it has no position. */
static inline loff_t *file_ppos(struct file *file)
{
	return file->f_mode & FMODE_LSEEK ? &file->f_pos : NULL;
}

static ssize_t ksys_read(unsigned int fd, char __user *buf, size_t count)
{
	struct fd f = fdget_pos(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_read(f.file, buf, count, file_ppos(f.file));
	fdput_pos(f);
	return ret;
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return ksys_read(fd, buf, count);
}

static ssize_t ksys_write(unsigned int fd, const char __user *buf, size_t count)
{
	struct fd f = fdget_pos(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_write(f.file, buf, count, file_ppos(f.file));
	fdput_pos(f);
	return ret;
}

SYSCALL_DEFINE3(write, unsigned int, fd, const char __user *, buf,
		size_t, count)
{
	return ksys_write(fd, buf, count);
}

SYSCALL_DEFINE3(readv, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen)
{
	struct fd f = fdget_pos(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_readv(f.file, vec, vlen, file_ppos(f.file));
	fdput_pos(f);
	return ret;
}

SYSCALL_DEFINE3(writev, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen)
{
	struct fd f = fdget_pos(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = vfs_writev(f.file, vec, vlen, file_ppos(f.file));
	fdput_pos(f);
	return ret;
}

/* For a transfer at a position: the file must have some. */
static inline struct fd fdget_at(unsigned int fd, ssize_t *err)
{
	struct fd f = fdget(fd);

	*err = !f.file ? -EBADF : f.file->f_mode & FMODE_LSEEK ? 0 : -ESPIPE;
	return f;
}

SYSCALL_DEFINE4(pread64, unsigned int, fd, char __user *, buf, size_t, count,
		loff_t, pos)
{
	ssize_t ret;
	struct fd f = fdget_at(fd, &ret);

	if (!ret)
		ret = vfs_read(f.file, buf, count, &pos);
	fdput(f);
	return ret;
}

SYSCALL_DEFINE4(pwrite64, unsigned int, fd, const char __user *, buf,
		size_t, count, loff_t, pos)
{
	ssize_t ret;
	struct fd f = fdget_at(fd, &ret);

	if (!ret)
		ret = vfs_write(f.file, buf, count, &pos);
	fdput(f);
	return ret;
}

/* @pos_h is for machines whose registers do not hold a position. */
SYSCALL_DEFINE5(preadv, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen, unsigned long, pos_l, unsigned long, pos_h)
{
	loff_t pos = pos_l;
	ssize_t ret;
	struct fd f = fdget_at(fd, &ret);

	if (!ret)
		ret = vfs_readv(f.file, vec, vlen, &pos);
	fdput(f);
	return ret;
}

SYSCALL_DEFINE5(pwritev, unsigned long, fd, const struct iovec __user *, vec,
		unsigned long, vlen, unsigned long, pos_l, unsigned long, pos_h)
{
	loff_t pos = pos_l;
	ssize_t ret;
	struct fd f = fdget_at(fd, &ret);

	if (!ret)
		ret = vfs_writev(f.file, vec, vlen, &pos);
	fdput(f);
	return ret;
}
