/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/kmsg: each read gets a message, each write adds one. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kmsg.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "internal.h"

/* "NN,SEQ,USEC,-;" before the text, in which an odd byte becomes "\xNN" */
#define KMSG_LINE_MAX	(LOG_TEXT_MAX * 4 + 64)

struct devkmsg_user {
	u64		seq;	/* the next, under lock */
	struct mutex	lock;
	struct log_record record;
	char		text[LOG_TEXT_MAX];
	char		line[KMSG_LINE_MAX];
};

static int devkmsg_open(struct inode *inode, struct file *file)
{
	struct devkmsg_user *user = kzalloc(sizeof(*user), GFP_KERNEL);

	if (!user)
		return -ENOMEM;
	mutex_init(&user->lock);
	user->seq = log_first_seq();
	file->private_data = user;
	return 0;
}

static int devkmsg_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static int format_line(struct devkmsg_user *user)
{
	const struct log_record *r = &user->record;
	int len = scnprintf(user->line, KMSG_LINE_MAX, "%u,%lu,%lu,-;",
			    r->facility << 3 | r->level,
			    (unsigned long)r->seq,
			    (unsigned long)(r->ts_nsec / 1000));

	for (int i = 0; i < r->len; i++) {
		unsigned char c = user->text[i];

		if (c < ' ' || c >= 127 || c == '\\')
			len += scnprintf(user->line + len,
					 KMSG_LINE_MAX - len, "\\x%02x", c);
		else
			user->line[len++] = c;
	}
	user->line[len++] = '\n';
	return len;
}

/* The next message; -EPIPE if some have been lost before it. */
static ssize_t next_message(struct devkmsg_user *user, struct iov_iter *to)
{
	bool lost;
	int len;

	if (!log_read(user->seq, &user->record, user->text))
		return -EAGAIN;
	lost = user->record.seq != user->seq;
	if (lost) {
		user->seq = user->record.seq;
		return -EPIPE;
	}
	len = format_line(user);
	user->seq++;
	if (len > iov_iter_count(to))
		return -EINVAL;
	return copy_to_iter(user->line, len, to) < len ? -EFAULT : len;
}

static ssize_t devkmsg_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct devkmsg_user *user = iocb->ki_filp->private_data;
	ssize_t ret;

	for (;;) {
		mutex_lock(&user->lock);
		ret = next_message(user, to);
		mutex_unlock(&user->lock);
		if (ret != -EAGAIN || (iocb->ki_filp->f_flags & O_NONBLOCK))
			return ret;
		ret = wait_for_log(user->seq);
		if (ret)
			return ret;
	}
}

/* "<N>text": N is facility and level; without it, a user's notice. */
static ssize_t devkmsg_write(struct kiocb *iocb, struct iov_iter *from)
{
	size_t len = iov_iter_count(from);
	int facility = LOG_USER, level = 4;
	char *buf, *text, *end;

	if (len > LOG_TEXT_MAX)
		return -EINVAL;
	buf = kmalloc(len + 1, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	if (copy_from_iter(buf, len, from) < len) {
		kfree(buf);
		return -EFAULT;
	}
	buf[len] = '\0';
	text = buf;
	if (text[0] == '<' && isdigit(text[1])) {
		unsigned long n = simple_strtoul(text + 1, &end, 10);

		if (*end == '>') {
			level = n & 7;
			if (n >> 3)
				facility = n >> 3 & 0xff;
			text = end + 1;
		}
	}
	end = text + strlen(text);
	if (end > text && end[-1] == '\n')
		end--;
	printk_text(facility, level, text, end - text);
	kfree(buf);
	return len;
}

static loff_t devkmsg_llseek(struct file *file, loff_t offset, int whence)
{
	struct devkmsg_user *user = file->private_data;
	loff_t ret = 0;

	if (offset)
		return -ESPIPE;
	mutex_lock(&user->lock);
	switch (whence) {
	case SEEK_SET:
		user->seq = log_first_seq();
		break;
	case SEEK_DATA:
		user->seq = max(log_clear_seq, log_first_seq());
		break;
	case SEEK_END:
		user->seq = log_next_seq();
		break;
	default:
		ret = -EINVAL;
	}
	mutex_unlock(&user->lock);
	return ret;
}

static __poll_t devkmsg_poll(struct file *file, poll_table *wait)
{
	struct devkmsg_user *user = file->private_data;

	log_poll_wait(file, wait);
	return log_next_seq() > user->seq ? EPOLLIN | EPOLLRDNORM : 0;
}

const struct file_operations kmsg_fops = {
	.open		= devkmsg_open,
	.read_iter	= devkmsg_read,
	.write_iter	= devkmsg_write,
	.llseek		= devkmsg_llseek,
	.poll		= devkmsg_poll,
	.release	= devkmsg_release,
};
