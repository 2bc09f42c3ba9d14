/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/random, /dev/urandom and getrandom: none ever waits, the seed is there. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uio.h>

#define GRND_NONBLOCK	0x0001
#define GRND_RANDOM	0x0002
#define GRND_INSECURE	0x0004

#define CHUNK		256

static ssize_t get_random_bytes_user(struct iov_iter *to)
{
	char bytes[CHUNK];
	ssize_t done = 0;

	while (iov_iter_count(to)) {
		size_t n = min(iov_iter_count(to), sizeof(bytes));
		size_t copied;

		get_random_bytes(bytes, n);
		copied = copy_to_iter(bytes, n, to);
		done += copied;
		if (copied < n)
			return done ? done : -EFAULT;
		if (signal_pending(current))
			break;
	}
	return done;
}

static ssize_t random_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return get_random_bytes_user(to);
}

static ssize_t urandom_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return get_random_bytes_user(to);
}

/* What is written changes nothing: only the seed decides what comes. */
static ssize_t random_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	return iov_iter_count(from);
}

const struct file_operations random_fops = {
	.llseek		= noop_llseek,
	.read_iter	= random_read_iter,
	.write_iter	= random_write_iter,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
};

const struct file_operations urandom_fops = {
	.llseek		= noop_llseek,
	.read_iter	= urandom_read_iter,
	.write_iter	= random_write_iter,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
};

SYSCALL_DEFINE3(getrandom, char __user *, ubuf, size_t, len,
		unsigned int, flags)
{
	struct iov_iter to;
	struct iovec iov;
	int err;

	if (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	if ((flags & (GRND_RANDOM | GRND_INSECURE)) ==
	    (GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	err = import_single_range(ubuf, len, &iov, &to);
	return err ? err : get_random_bytes_user(&to);
}
