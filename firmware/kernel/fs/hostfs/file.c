/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open files that the host serves. What is read and written goes to the host
 * at once; only what is mapped or executed is kept in pages, until the file
 * changes.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/splice.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <asm/cacheflush.h>

#include "hostfs.h"

/* The request that opens a file becomes the one that will close it. */
int hostfs_open(struct inode *inode, struct file *file)
{
	struct hostfs_request *req =
		hostfs_alloc(FS_OPEN, hostfs_node(inode), 0);
	long handle;

	if (!req)
		return -ENOMEM;
	if (file->f_mode & FMODE_READ)
		req->fr.flags |= FS_OPEN_READ;
	if (file->f_mode & FMODE_WRITE)
		req->fr.flags |= FS_OPEN_WRITE;
	if (file->f_flags & O_APPEND)
		req->fr.flags |= FS_OPEN_APPEND;
	if (file->f_flags & O_TRUNC)
		req->fr.flags |= FS_OPEN_TRUNCATE;
	handle = hostfs_ask(req);
	if (handle < 0) {
		hostfs_free(req);
		return handle;
	}
	if (req->fr.flags & FS_OPEN_STREAM)
		stream_open(inode, file);
	req->fr = (struct file_request){ .op = FS_RELEASE, .handle = handle };
	file->private_data = req;
	return 0;
}

/* What closing has begun has ended when this returns. */
int hostfs_release(struct inode *inode, struct file *file)
{
	return hostfs_ask_once(file->private_data);
}

static struct hostfs_request *hostfs_transfer(u32 op, struct kiocb *iocb,
					      size_t size)
{
	struct hostfs_request *req = hostfs_alloc(op, 0, size);

	if (!req)
		return NULL;
	req->fr.handle = hostfs_handle(iocb->ki_filp);
	req->fr.offset = iocb->ki_pos;
	req->fr.size = size;
	if (iocb->ki_filp->f_flags & O_NONBLOCK)
		req->fr.flags |= FS_NONBLOCK;
	return req;
}

/* Bytes of the request's pages, to or from the caller: how many were moved. */
static size_t hostfs_copy(struct hostfs_request *req, size_t size,
			  struct iov_iter *iter, bool to_user)
{
	size_t done = 0;

	while (done < size) {
		struct page *page = req->pages[done >> PAGE_SHIFT];
		size_t n = min(size - done, PAGE_SIZE), copied;

		copied = to_user ? copy_page_to_iter(page, 0, n, iter) :
				   copy_page_from_iter(page, 0, n, iter);
		done += copied;
		if (copied < n)
			break;
	}
	return done;
}

/* One request, FS_READ or FS_SPLICE: what it gave, 0 at the end. */
static ssize_t hostfs_read_some(u32 op, struct kiocb *iocb, struct iov_iter *to,
				u32 flags)
{
	size_t size = min(iov_iter_count(to), HOSTFS_MAX_DATA);
	struct hostfs_request *req = hostfs_transfer(op, iocb, size);
	size_t copied;
	long ret;

	if (!req)
		return -ENOMEM;
	req->fr.flags |= flags;
	ret = hostfs_ask(req);
	if (ret > 0) {
		copied = hostfs_copy(req, ret, to, true);
		ret = copied ? copied : -EFAULT;
	}
	hostfs_free(req);
	return ret;
}

/* Ends where the host gives less than it was asked for. */
static ssize_t hostfs_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	ssize_t done = 0, ret = 0;

	while (iov_iter_count(to)) {
		size_t wanted = min(iov_iter_count(to), HOSTFS_MAX_DATA);

		ret = hostfs_read_some(FS_READ, iocb, to, 0);
		if (ret <= 0)
			break;
		iocb->ki_pos += ret;
		done += ret;
		if (ret < wanted)
			break;
	}
	return done ? done : ret;
}

/* One request: the pages that the host fills become the pipe's. */
static ssize_t hostfs_splice_read(struct file *in, loff_t *pos,
				  struct pipe_inode_info *pipe, size_t len,
				  unsigned int flags)
{
	u32 nonblock = flags & SPLICE_F_NONBLOCK ? FS_NONBLOCK : 0;
	struct kiocb kiocb = { .ki_filp = in, .ki_pos = *pos };
	struct iov_iter to;
	ssize_t ret;

	iov_iter_pipe(&to, pipe, len);
	ret = hostfs_read_some(FS_SPLICE, &kiocb, &to, nonblock);
	if (ret > 0)
		*pos += ret;
	return ret;
}

/* Files of folders only: the tracing directory's take what is written. */
static ssize_t hostfs_splice_write(struct pipe_inode_info *pipe,
				   struct file *out, loff_t *pos, size_t len,
				   unsigned int flags)
{
	if (file_inode(out)->i_sb->s_magic != V9FS_MAGIC)
		return -EINVAL;
	return iter_file_splice_write(pipe, out, pos, len, flags);
}

static ssize_t hostfs_write_some(struct kiocb *iocb, struct iov_iter *from)
{
	size_t size = min(iov_iter_count(from), HOSTFS_MAX_DATA);
	struct hostfs_request *req = hostfs_transfer(FS_WRITE, iocb, size);
	long ret = -EFAULT;

	if (!req)
		return -ENOMEM;
	req->fr.size = hostfs_copy(req, size, from, false);
	if (req->fr.size)
		ret = hostfs_ask(req);
	hostfs_free(req);
	return ret;
}

/* A program that is mapped must see what was written: it is read anew. */
static void hostfs_wrote(struct kiocb *iocb)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	if (inode->i_mapping->nrpages) {
		unmap_mapping_range(inode->i_mapping, 0, 0, 0);
		truncate_inode_pages(inode->i_mapping, 0);
		unmap_mapping_range(inode->i_mapping, 0, 0, 0);
	}
	/* Of what was removed while it was open, only we know the size. */
	if (hostfs_refresh(inode) && iocb->ki_pos > i_size_read(inode))
		i_size_write(inode, iocb->ki_pos);
	if (iocb->ki_filp->f_flags & O_APPEND)
		iocb->ki_pos = i_size_read(inode);
}

/* Ends where the host takes less than it was given. */
static ssize_t hostfs_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	ssize_t done = 0, ret = 0;

	while (iov_iter_count(from)) {
		size_t given = min(iov_iter_count(from), HOSTFS_MAX_DATA);

		ret = hostfs_write_some(iocb, from);
		if (ret <= 0)
			break;
		iocb->ki_pos += ret;
		done += ret;
		if (ret < given)
			break;
	}
	if (done)
		hostfs_wrote(iocb);
	return done ? done : ret;
}

static __poll_t hostfs_poll(struct file *file, poll_table *wait)
{
	struct hostfs_request *req;
	__poll_t mask = 0;
	long ready;

	poll_wait(file, &hostfs_poll_wait, wait);
	req = hostfs_alloc(FS_POLL, 0, 0);
	if (!req)
		return EPOLLERR;
	req->fr.handle = hostfs_handle(file);
	ready = hostfs_ask_once(req);
	if (ready < 0)
		return EPOLLERR;
	if (ready & FS_READABLE)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (ready & FS_WRITABLE)
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

/* Whatever a command concerns is with the host. */
static long hostfs_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct hostfs_request *req = hostfs_alloc(FS_IOCTL, 0, 0);

	if (!req)
		return -ENOMEM;
	req->fr.handle = hostfs_handle(file);
	req->fr.offset = cmd;
	return hostfs_ask_once(req);
}

/* Reads a page of a file, which need not be open. */
static long hostfs_read_page(struct hostfs_request *req, struct page *page)
{
	long handle, got;

	req->fr.flags = FS_OPEN_READ;
	handle = hostfs_ask(req);
	if (handle < 0)
		return handle;
	req->fr = (struct file_request){
		.op	= FS_READ,
		.handle	= handle,
		.offset	= (u64)page->index << PAGE_SHIFT,
		.size	= PAGE_SIZE,
	};
	hostfs_add_page(req, page);
	got = hostfs_ask(req);
	req->fr = (struct file_request){ .op = FS_RELEASE, .handle = handle };
	hostfs_ask(req);
	return got;
}

static int hostfs_read_folio(struct file *file, struct page *page)
{
	struct inode *inode = page->mapping->host;
	struct hostfs_request *req =
		hostfs_alloc(FS_OPEN, hostfs_node(inode), 0);
	long got = -ENOMEM;

	if (req) {
		got = hostfs_read_page(req, page);
		hostfs_free(req);
	}
	if (got >= 0) {
		memset(page_address(page) + got, 0, PAGE_SIZE - got);
		flush_dcache_page(page);
		SetPageUptodate(page);
	}
	unlock_page(page);
	return got < 0 ? got : 0;
}

/* Nothing would write back what a shared mapping changes. */
static int hostfs_mmap(struct file *file, struct vm_area_struct *vma)
{
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) ==
	    (VM_SHARED | VM_MAYWRITE))
		return -ENODEV;
	return generic_file_mmap(file, vma);
}

const struct address_space_operations hostfs_aops = {
	.read_folio	= hostfs_read_folio,
};

const struct file_operations hostfs_file_operations = {
	.llseek		= generic_file_llseek,
	.read_iter	= hostfs_read_iter,
	.write_iter	= hostfs_write_iter,
	.poll		= hostfs_poll,
	.unlocked_ioctl	= hostfs_ioctl,
	.mmap		= hostfs_mmap,
	.open		= hostfs_open,
	.release	= hostfs_release,
	.fsync		= noop_fsync,
	.splice_write	= hostfs_splice_write,
	.splice_read	= hostfs_splice_read,
};
