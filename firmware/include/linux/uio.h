/* SPDX-License-Identifier: GPL-2.0-only */
/* Where bytes come from or go to: user segments, kernel buffers or a pipe. */
#ifndef _LINUX_UIO_H
#define _LINUX_UIO_H

#include <linux/types.h>

/* No transfer is longer. */
#define MAX_RW_COUNT	((size_t)(~0U >> 1) & ~0xfffUL)

#define UIO_FASTIOV	8
#define UIO_MAXIOV	1024

struct page;
struct pipe_inode_info;

struct iovec {
	void __user	*iov_base;
	size_t		iov_len;
};

struct kvec {
	void		*iov_base;
	size_t		iov_len;
};

enum iter_type {
	ITER_IOVEC,
	ITER_KVEC,
	ITER_PIPE,		/* only as a destination */
};

struct iov_iter {
	enum iter_type	iter_type;
	size_t		iov_offset;	/* into the first segment, or page */
	size_t		count;		/* bytes left in all segments */
	union {
		const struct iovec *iov;
		const struct kvec *kvec;
		struct pipe_inode_info *pipe;	/* locked */
	};
};

static inline size_t iov_iter_count(const struct iov_iter *i)
{
	return i->count;
}

static inline void iov_iter_truncate(struct iov_iter *i, u64 count)
{
	if (i->count > count)
		i->count = count;
}

/* Not traced: part of each copy between the kernel and user space. */
notrace void iov_iter_kvec(struct iov_iter *i, const struct kvec *kvec,
			   size_t count);
/* What is copied to it is appended; whole pages by reference. */
notrace void iov_iter_pipe(struct iov_iter *i, struct pipe_inode_info *pipe,
			   size_t count);
notrace int import_single_range(void __user *buf, size_t len,
				struct iovec *iov, struct iov_iter *i);
notrace ssize_t import_iovec(const struct iovec __user *uvec,
			     unsigned long nr_segs, struct iovec **iov,
			     struct iov_iter *i);

notrace size_t copy_to_iter(const void *addr, size_t bytes, struct iov_iter *i);
notrace size_t copy_from_iter(void *addr, size_t bytes, struct iov_iter *i);
notrace size_t copy_page_to_iter(struct page *page, size_t offset, size_t bytes,
				 struct iov_iter *i);
notrace size_t copy_page_from_iter(struct page *page, size_t offset,
				   size_t bytes, struct iov_iter *i);
notrace size_t copy_page_from_iter_atomic(struct page *page, size_t offset,
					  size_t bytes, struct iov_iter *i);
/*
 * The page of user memory at the current place, referenced, where in it that
 * is, and how many bytes it has, which are passed over; or -EFAULT.
 */
ssize_t iov_iter_get_page(struct iov_iter *i, struct page **page,
			  size_t *start);
size_t fault_in_iov_iter_readable(const struct iov_iter *i, size_t bytes);
notrace void iov_iter_advance(struct iov_iter *i, size_t bytes);
notrace size_t iov_iter_zero(size_t bytes, struct iov_iter *i);

#endif
