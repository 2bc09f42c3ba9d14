/* SPDX-License-Identifier: GPL-2.0-only */
/* Pipes: bytes from writers to readers, through a ring of pages. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/termios.h>

#include "../internal.h"

static struct vfsmount *pipe_mnt;

struct pipe_inode_info *alloc_pipe_info(void)
{
	struct pipe_inode_info *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);

	if (!pipe)
		return NULL;
	pipe->bufs = kcalloc(PIPE_DEF_BUFFERS, sizeof(*pipe->bufs), GFP_KERNEL);
	if (!pipe->bufs) {
		kfree(pipe);
		return NULL;
	}
	pipe->ring_size = PIPE_DEF_BUFFERS;
	pipe->r_counter = pipe->w_counter = 1;
	init_waitqueue_head(&pipe->rd_wait);
	init_waitqueue_head(&pipe->wr_wait);
	mutex_init(&pipe->mutex);
	return pipe;
}

void free_pipe_info(struct pipe_inode_info *pipe)
{
	while (!pipe_empty(pipe->head, pipe->tail))
		pipe_drop_tail(pipe);
	if (pipe->tmp_page)
		put_page(pipe->tmp_page);
	kfree(pipe->bufs);
	kfree(pipe);
}

/*
 * Moves what is there; *was_full if a writer may have waited for that. With
 * pipe->mutex held.
 */
static inline ssize_t pipe_drain(struct pipe_inode_info *pipe,
				 struct iov_iter *to, bool *was_full)
{
	ssize_t done = 0;

	while (iov_iter_count(to) && !pipe_empty(pipe->head, pipe->tail)) {
		struct pipe_buffer *buf = pipe_buf(pipe, pipe->tail);
		size_t n = min_t(size_t, buf->len, iov_iter_count(to));
		size_t copied;

		/* What cannot be taken whole stays. */
		copied = copy_page_to_iter(buf->page, buf->offset, n, to);
		if (copied < n)
			return done ? done : -EFAULT;
		buf->offset += n;
		buf->len -= n;
		done += n;
		if (!buf->len) {
			*was_full |= pipe_full(pipe->head, pipe->tail,
					       pipe->ring_size);
			pipe_drop_tail(pipe);
		}
	}
	return done;
}

/*
 * With no lock held; sleeps until there is something, without the mutex. 0:
 * nothing was asked for, or no writer is left.
 */
static ssize_t pipe_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct pipe_inode_info *pipe = file->private_data;
	bool was_full = false, wake_next_reader = false, more;
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	for (;;) {
		mutex_lock(&pipe->mutex);
		ret = pipe_drain(pipe, to, &was_full);
		more = !pipe_empty(pipe->head, pipe->tail);
		if (!ret && pipe->writers)
			ret = -EAGAIN;
		mutex_unlock(&pipe->mutex);

		if (ret != -EAGAIN || (file->f_flags & O_NONBLOCK))
			break;
		if (wait_event_interruptible_exclusive(pipe->rd_wait,
						       pipe_readable(pipe)))
			return -ERESTARTSYS;
		wake_next_reader = true;
	}
	if (was_full)
		wake_up_interruptible_sync(&pipe->wr_wait);
	/* We alone were woken for all that came: pass on what we leave. */
	if (wake_next_reader && more)
		wake_up_interruptible(&pipe->rd_wait);
	if (ret > 0)
		file_accessed(file);
	return ret;
}

/*
 * Appends to the newest page what fits there whole: so a write of PIPE_BUF or
 * less stays in one piece.
 */
static inline ssize_t pipe_merge(struct pipe_inode_info *pipe,
				 struct iov_iter *from)
{
	size_t n = iov_iter_count(from) & (PAGE_SIZE - 1);
	struct pipe_buffer *buf = pipe_buf(pipe, pipe->head - 1);
	size_t copied;

	if (!n || pipe_empty(pipe->head, pipe->tail) ||
	    !(buf->flags & PIPE_BUF_FLAG_CAN_MERGE) ||
	    buf->offset + buf->len + n > PAGE_SIZE)
		return 0;
	copied = copy_page_from_iter(buf->page, buf->offset + buf->len, n,
				     from);
	if (copied < n)
		return -EFAULT;
	buf->len += n;
	return n;
}

/* Adds one page; there is a free slot. */
static inline ssize_t pipe_append(struct pipe_inode_info *pipe,
				  struct iov_iter *from)
{
	struct page *page = pipe->tmp_page;
	size_t n = min(iov_iter_count(from), PAGE_SIZE);

	if (!page) {
		page = alloc_page(GFP_HIGHUSER);
		if (!page)
			return -ENOMEM;
		pipe->tmp_page = page;
	}
	if (copy_page_from_iter(page, 0, n, from) < n)
		return -EFAULT;
	pipe->tmp_page = NULL;
	pipe_push(pipe, &(struct pipe_buffer){
		.page = page,
		.len = n,
		.ops = &anon_pipe_buf_ops,
		.flags = PIPE_BUF_FLAG_CAN_MERGE,
	});
	return n;
}

/* Moves what there is room for; 0 if there is none. With pipe->mutex held. */
static inline ssize_t pipe_fill(struct pipe_inode_info *pipe,
				struct iov_iter *from, bool merge)
{
	ssize_t done = 0, n;

	if (!pipe->readers)
		return -EPIPE;
	if (merge) {
		done = pipe_merge(pipe, from);
		if (done < 0)
			return done;
	}
	while (iov_iter_count(from) &&
	       !pipe_full(pipe->head, pipe->tail, pipe->ring_size)) {
		n = pipe_append(pipe, from);
		if (n < 0)
			return done ? done : n;
		done += n;
	}
	return done;
}

/*
 * With no lock held; sleeps until there is room, without the mutex. Without a
 * reader: SIGPIPE.
 */
static ssize_t pipe_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct file *file = iocb->ki_filp;
	struct pipe_inode_info *pipe = file->private_data;
	bool was_empty, merge = true, wake_next_writer = false, writable;
	ssize_t done = 0, ret;

	if (!iov_iter_count(from))
		return 0;
	for (;;) {
		mutex_lock(&pipe->mutex);
		was_empty = pipe_empty(pipe->head, pipe->tail);
		ret = pipe_fill(pipe, from, merge);
		if (ret > 0)
			done += ret;
		writable = !pipe_full(pipe->head, pipe->tail, pipe->ring_size);
		mutex_unlock(&pipe->mutex);

		if (was_empty && done)
			wake_up_interruptible_sync(&pipe->rd_wait);
		if (ret < 0 || !iov_iter_count(from))
			break;
		if (file->f_flags & O_NONBLOCK) {
			ret = -EAGAIN;
			break;
		}
		ret = wait_event_interruptible_exclusive(pipe->wr_wait,
							 pipe_writable(pipe));
		if (ret)
			break;
		wake_next_writer = true;
		merge = false;
	}
	if (ret == -EPIPE)
		send_sig(SIGPIPE, current, 0);
	if (wake_next_writer && writable)
		wake_up_interruptible(&pipe->wr_wait);
	if (done)
		file_update_time(file);
	return done ? done : ret;
}

/* One open file less; the last takes the pipe with it. */
void put_pipe_info(struct inode *inode, struct pipe_inode_info *pipe)
{
	bool last;

	spin_lock(&inode->i_lock);
	last = !--pipe->files;
	if (last)
		inode->i_pipe = NULL;
	spin_unlock(&inode->i_lock);
	if (last)
		free_pipe_info(pipe);
}

static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe = file->private_data;

	mutex_lock(&pipe->mutex);
	if (file->f_mode & FMODE_READ)
		pipe->readers--;
	if (file->f_mode & FMODE_WRITE)
		pipe->writers--;
	mutex_unlock(&pipe->mutex);

	wake_up_interruptible_all(&pipe->rd_wait);
	wake_up_interruptible_all(&pipe->wr_wait);
	put_pipe_info(inode, pipe);
	return 0;
}

static __poll_t pipe_poll(struct file *file, poll_table *wait)
{
	struct pipe_inode_info *pipe = file->private_data;
	__poll_t mask = 0;

	if (file->f_mode & FMODE_READ)
		poll_wait(file, &pipe->rd_wait, wait);
	if (file->f_mode & FMODE_WRITE)
		poll_wait(file, &pipe->wr_wait, wait);
	mutex_lock(&pipe->mutex);
	if (file->f_mode & FMODE_READ) {
		if (!pipe_empty(pipe->head, pipe->tail))
			mask |= EPOLLIN | EPOLLRDNORM;
		if (!pipe->writers && file->f_version != pipe->w_counter)
			mask |= EPOLLHUP;
	}
	if (file->f_mode & FMODE_WRITE) {
		if (!pipe_full(pipe->head, pipe->tail, pipe->ring_size))
			mask |= EPOLLOUT | EPOLLWRNORM;
		if (!pipe->readers)
			mask |= EPOLLERR;
	}
	mutex_unlock(&pipe->mutex);
	return mask;
}

static long pipe_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pipe_inode_info *pipe = file->private_data;
	int count = 0;

	if (cmd != FIONREAD)
		return -ENOIOCTLCMD;
	mutex_lock(&pipe->mutex);
	for (unsigned int at = pipe->tail; at != pipe->head; at++)
		count += pipe_buf(pipe, at)->len;
	mutex_unlock(&pipe->mutex);
	return put_user(count, (int __user *)arg);
}

const struct file_operations pipefifo_fops = {
	.read_iter	= pipe_read,
	.write_iter	= pipe_write,
	.poll		= pipe_poll,
	.unlocked_ioctl	= pipe_ioctl,
	.release	= pipe_release,
};

static inline struct inode *get_pipe_inode(void)
{
	struct inode *inode = new_inode_pseudo(pipe_mnt->mnt_sb);

	if (!inode)
		return NULL;
	inode->i_pipe = alloc_pipe_info();
	if (!inode->i_pipe) {
		iput(inode);
		return NULL;
	}
	inode->i_mode = S_IFIFO | 0600;
	inode->i_fop = &def_fifo_fops;	/* /proc/PID/fd has names for it */
	return inode;
}

/* res[0] reads what res[1] writes. */
int create_pipe_files(struct file **res, int flags)
{
	struct inode *inode = get_pipe_inode();
	struct pipe_inode_info *pipe;
	struct file *file;

	if (!inode)
		return -ENFILE;
	pipe = inode->i_pipe;
	flags &= O_NONBLOCK;
	file = alloc_file_pseudo(inode, pipe_mnt, "", O_WRONLY | flags,
				 &pipefifo_fops);
	if (IS_ERR(file)) {
		free_pipe_info(pipe);
		iput(inode);
		return PTR_ERR(file);
	}
	pipe->writers = 1;
	pipe->files = 1;
	file->private_data = pipe;
	res[1] = file;

	file = alloc_file_clone(res[1], O_RDONLY | flags, &pipefifo_fops);
	if (IS_ERR(file)) {
		fput(res[1]);
		return PTR_ERR(file);
	}
	pipe->readers = 1;
	pipe->files = 2;
	file->private_data = pipe;
	res[0] = file;
	stream_open(inode, res[0]);
	stream_open(inode, res[1]);
	return 0;
}

static __noclone int __do_pipe_flags(int *fd, struct file **files, int flags)
{
	int err;

	if (flags & ~(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	err = create_pipe_files(files, flags);
	if (err)
		return err;
	err = get_unused_fd_flags(flags);
	if (err < 0)
		goto put_files;
	fd[0] = err;
	err = get_unused_fd_flags(flags);
	if (err < 0)
		goto put_fd;
	fd[1] = err;
	return 0;

put_fd:
	put_unused_fd(fd[0]);
put_files:
	fput(files[0]);
	fput(files[1]);
	return err;
}

static int do_pipe2(int __user *fildes, int flags)
{
	struct file *files[2] = { NULL, NULL };
	int fd[2], err;

	err = __do_pipe_flags(fd, files, flags);
	if (err)
		return err;
	if (copy_to_user(fildes, fd, sizeof(fd))) {
		fput(files[0]);
		fput(files[1]);
		put_unused_fd(fd[0]);
		put_unused_fd(fd[1]);
		return -EFAULT;
	}
	fd_install(fd[0], files[0]);
	fd_install(fd[1], files[1]);
	return 0;
}

SYSCALL_DEFINE2(pipe2, int __user *, fildes, int, flags)
{
	return do_pipe2(fildes, flags);
}

SYSCALL_DEFINE1(pipe, int __user *, fildes)
{
	return do_pipe2(fildes, 0);
}

static char *pipefs_dname(struct dentry *dentry, char *buffer, int buflen)
{
	return dynamic_dname(dentry, buffer, buflen, "pipe:[%lu]",
			     d_inode(dentry)->i_ino);
}

static const struct dentry_operations pipefs_dentry_operations = {
	.d_dname	= pipefs_dname,
};

static struct dentry *pipefs_mount(struct file_system_type *type, int flags,
				   const char *dev_name, void *data)
{
	return mount_pseudo(type, "pipe:", NULL, &pipefs_dentry_operations,
			    PIPEFS_MAGIC);
}

static struct file_system_type pipe_fs_type = {
	.name		= "pipefs",
	.mount		= pipefs_mount,
	.kill_sb	= kill_anon_super,
};

static int __init init_pipe_fs(void)
{
	int err = register_filesystem(&pipe_fs_type);

	if (err)
		return err;
	pipe_mnt = kern_mount(&pipe_fs_type);
	return PTR_ERR_OR_ZERO(pipe_mnt);
}
fs_initcall(init_pipe_fs);
