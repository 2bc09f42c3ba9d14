/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying between the kernel and the segments of a read or write. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

void iov_iter_kvec(struct iov_iter *i, const struct kvec *kvec, size_t count)
{
	*i = (struct iov_iter){
		.iter_type = ITER_KVEC,
		.count = count,
		.kvec = kvec,
	};
}

void iov_iter_pipe(struct iov_iter *i, struct pipe_inode_info *pipe,
		   size_t count)
{
	*i = (struct iov_iter){
		.iter_type = ITER_PIPE,
		.count = count,
		.pipe = pipe,
	};
}

int import_single_range(void __user *buf, size_t len, struct iovec *iov,
			struct iov_iter *i)
{
	len = min_t(size_t, len, MAX_RW_COUNT);
	if (!access_ok(buf, len))
		return -EFAULT;
	iov->iov_base = buf;
	iov->iov_len = len;
	*i = (struct iov_iter){
		.iter_type = ITER_IOVEC,
		.count = len,
		.iov = iov,
	};
	return 0;
}

/*
 * *iov is the caller's array of UIO_FASTIOV; it becomes what the caller must
 * kfree: an allocated array, or NULL.
 */
ssize_t import_iovec(const struct iovec __user *uvec, unsigned long nr_segs,
		     struct iovec **iov, struct iov_iter *i)
{
	struct iovec *fast = *iov, *vec = fast;
	size_t total = 0;
	int err;

	*iov = NULL;
	if (nr_segs > UIO_MAXIOV)
		return -EINVAL;
	if (nr_segs > UIO_FASTIOV) {
		vec = kmalloc_array(nr_segs, sizeof(*vec), GFP_KERNEL);
		if (!vec)
			return -ENOMEM;
	}
	err = -EFAULT;
	if (copy_from_user(vec, uvec, nr_segs * sizeof(*vec)))
		goto fail;
	for (unsigned long n = 0; n < nr_segs; n++) {
		err = -EINVAL;
		if ((ssize_t)vec[n].iov_len < 0)
			goto fail;
		err = -EFAULT;
		if (!access_ok(vec[n].iov_base, vec[n].iov_len))
			goto fail;
		vec[n].iov_len = min_t(size_t, vec[n].iov_len,
				       MAX_RW_COUNT - total);
		total += vec[n].iov_len;
	}
	if (vec != fast)
		*iov = vec;
	*i = (struct iov_iter){
		.iter_type = ITER_IOVEC,
		.count = total,
		.iov = vec,
	};
	return total;

fail:
	if (vec != fast)
		kfree(vec);
	return err;
}

static inline size_t segment_len(const struct iov_iter *i)
{
	return i->iter_type == ITER_KVEC ? i->kvec->iov_len : i->iov->iov_len;
}

static inline void next_segment(struct iov_iter *i)
{
	if (i->iter_type == ITER_KVEC)
		i->kvec++;
	else
		i->iov++;
	i->iov_offset = 0;
}

void iov_iter_advance(struct iov_iter *i, size_t bytes)
{
	while (bytes) {
		size_t n = min(bytes, segment_len(i) - i->iov_offset);

		i->iov_offset += n;
		i->count -= n;
		bytes -= n;
		if (i->iov_offset == segment_len(i))
			next_segment(i);
	}
}

/* What could not be copied stays as it was: it may be a file's. */
static inline size_t copyin(void *to, const void __user *from, size_t n)
{
	might_fault();
	return access_ok(from, n) ? raw_copy_from_user(to, from, n) : n;
}

enum direction { TO_ITER, FROM_ITER, ZERO_ITER };

/* Returns how many of n bytes were copied from or to the current segment. */
static inline size_t copy_segment(struct iov_iter *i, char *addr, size_t n,
				  enum direction direction)
{
	if (i->iter_type == ITER_KVEC) {
		char *base = i->kvec->iov_base + i->iov_offset;

		if (direction == TO_ITER)
			memcpy(base, addr, n);
		else if (direction == FROM_ITER)
			memcpy(addr, base, n);
		else
			memset(base, 0, n);
		return n;
	} else {
		char __user *base = i->iov->iov_base + i->iov_offset;

		if (direction == TO_ITER)
			return n - copy_to_user(base, addr, n);
		if (direction == FROM_ITER)
			return n - copyin(addr, base, n);
		return n - clear_user(base, n);
	}
}

/*
 * The newest page that this iterator has added, while bytes fit behind those
 * that it has, or a new one; NULL if there is no slot or no memory.
 */
static inline struct pipe_buffer *append_pipe(struct iov_iter *i)
{
	struct pipe_inode_info *pipe = i->pipe;
	struct pipe_buffer buf = { .ops = &anon_pipe_buf_ops };

	if (i->iov_offset % PAGE_SIZE)
		return pipe_buf(pipe, pipe->head - 1);
	if (pipe_full(pipe->head, pipe->tail, pipe->ring_size))
		return NULL;
	buf.page = alloc_page(GFP_HIGHUSER);
	if (!buf.page)
		return NULL;
	pipe_push(pipe, &buf);
	i->iov_offset = 0;
	return pipe_buf(pipe, pipe->head - 1);
}

/* Appends bytes to pages of the pipe's own; zeros if there is no @addr. */
static inline size_t copy_to_pipe(struct iov_iter *i, const char *addr,
				  size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		struct pipe_buffer *buf = append_pipe(i);
		size_t n;
		char *to;

		if (!buf)
			break;
		n = min(bytes - done, PAGE_SIZE - i->iov_offset);
		to = page_address(buf->page) + i->iov_offset;
		if (addr)
			memcpy(to, addr + done, n);
		else
			memset(to, 0, n);
		buf->len += n;
		i->iov_offset += n;
		i->count -= n;
		done += n;
	}
	return done;
}

/* The page itself, with a reference for the pipe. */
static inline size_t copy_page_to_pipe(struct iov_iter *i, struct page *page,
				       size_t offset, size_t bytes)
{
	struct pipe_inode_info *pipe = i->pipe;

	bytes = min(bytes, i->count);
	if (!bytes || pipe_full(pipe->head, pipe->tail, pipe->ring_size))
		return 0;
	get_page(page);
	pipe_push(pipe, &(struct pipe_buffer){
		.page = page,
		.offset = offset,
		.len = bytes,
		.ops = &page_cache_pipe_buf_ops,
	});
	i->iov_offset = 0;
	i->count -= bytes;
	return bytes;
}

/* Stops at the first byte that faults. An ended segment is left by the next. */
static inline size_t copy_segments(struct iov_iter *i, char *addr, size_t bytes,
				   enum direction direction)
{
	size_t done = 0;

	bytes = min(bytes, i->count);
	if (i->iter_type == ITER_PIPE)
		return copy_to_pipe(i, addr, bytes);
	while (done < bytes) {
		size_t n, copied;

		n = min(bytes - done, segment_len(i) - i->iov_offset);
		if (!n) {
			next_segment(i);
			continue;
		}
		copied = copy_segment(i, addr + done, n, direction);
		i->iov_offset += copied;
		i->count -= copied;
		done += copied;
		if (copied < n)
			break;
	}
	return done;
}

size_t copy_to_iter(const void *addr, size_t bytes, struct iov_iter *i)
{
	return copy_segments(i, (char *)addr, bytes, TO_ITER);
}

size_t copy_from_iter(void *addr, size_t bytes, struct iov_iter *i)
{
	return copy_segments(i, addr, bytes, FROM_ITER);
}

size_t copy_page_to_iter(struct page *page, size_t offset, size_t bytes,
			 struct iov_iter *i)
{
	if (i->iter_type == ITER_PIPE)
		return copy_page_to_pipe(i, page, offset, bytes);
	return copy_to_iter(page_address(page) + offset, bytes, i);
}

size_t copy_page_from_iter(struct page *page, size_t offset, size_t bytes,
			   struct iov_iter *i)
{
	return copy_from_iter(page_address(page) + offset, bytes, i);
}

/* With the page locked: what is not there ends it. */
size_t copy_page_from_iter_atomic(struct page *page, size_t offset,
				  size_t bytes, struct iov_iter *i)
{
	size_t copied;

	pagefault_disable();
	copied = copy_page_from_iter(page, offset, bytes, i);
	pagefault_enable();
	return copied;
}

/* How much of the next bytes cannot be read, from the first that cannot. */
size_t fault_in_iov_iter_readable(const struct iov_iter *i, size_t bytes)
{
	size_t left = min(bytes, i->count), skip = i->iov_offset;
	const struct iovec *iov;

	if (i->iter_type != ITER_IOVEC)
		return 0;
	for (iov = i->iov; left; iov++, skip = 0) {
		size_t n = min(left, iov->iov_len - skip), bad;

		bad = fault_in_readable(iov->iov_base + skip, n);
		left -= n - bad;
		if (bad)
			break;
	}
	return left;
}

size_t iov_iter_zero(size_t bytes, struct iov_iter *i)
{
	return copy_segments(i, NULL, bytes, ZERO_ITER);
}

ssize_t iov_iter_get_page(struct iov_iter *i, struct page **page, size_t *start)
{
	unsigned long addr;
	size_t len;
	long got;

	while (i->iov_offset == segment_len(i))
		next_segment(i);
	addr = (unsigned long)i->iov->iov_base + i->iov_offset;
	*start = offset_in_page(addr);
	len = min(segment_len(i) - i->iov_offset, PAGE_SIZE - *start);
	mmap_read_lock(current->mm);
	got = get_user_pages_remote(current->mm, addr - *start, 1, 0, page);
	mmap_read_unlock(current->mm);
	if (got < 0)
		return got;
	iov_iter_advance(i, len);
	return len;
}
