/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing to a terminal. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>
#include <linux/uio.h>

/* Where the cursor is then; escape sequences are not understood. */
static void follow_column(struct tty_struct *tty, unsigned char c)
{
	unsigned int *column = &tty->n_tty.column;

	if (c == '\n' || c == '\r')
		*column = 0;
	else if (c == '\b')
		*column -= *column > 0;
	else if (c == '\t')
		*column += 8 - *column % 8;
	else if (c >= ' ' && c != 0x7f && (c & 0xc0) != 0x80)
		++*column;
}

/* Newlines become what a terminal needs, in pieces as large as can be. */
void process_output(struct tty_struct *tty, const char *buf, size_t count)
{
	unsigned int oflag = tty->termios.c_oflag;
	bool maps = oflag & OPOST && oflag & ONLCR;
	size_t start = 0;

	if (!(oflag & OPOST)) {
		tty->ops->write(tty, buf, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		follow_column(tty, buf[i]);
		if (buf[i] != '\n' || !maps)
			continue;
		if (i > start)
			tty->ops->write(tty, buf + start, i - start);
		tty->ops->write(tty, "\r\n", 2);
		start = i + 1;
	}
	if (start < count)
		tty->ops->write(tty, buf + start, count - start);
}

static int wait_for_flow(struct tty_struct *tty)
{
	if (likely(!READ_ONCE(tty->flow_stopped)))
		return 0;
	return wait_event_interruptible(tty->write_wait, !tty->flow_stopped);
}

/* Up to a page is written in one piece. */
ssize_t n_tty_write(struct tty_struct *tty, struct iov_iter *from)
{
	ssize_t done = 0;
	int err = 0;
	char *page;

	if (tty->termios.c_lflag & TOSTOP) {
		err = tty_check_change(tty);
		if (err)
			return err;
	}
	page = (char *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	while (iov_iter_count(from)) {
		size_t n = min(iov_iter_count(from), PAGE_SIZE);
		size_t copied;

		err = wait_for_flow(tty);
		if (err)
			break;
		copied = copy_from_iter(page, n, from);
		mutex_lock(&tty->write_lock);
		process_output(tty, page, copied);
		mutex_unlock(&tty->write_lock);
		done += copied;
		if (copied < n) {
			err = -EFAULT;
			break;
		}
	}
	free_page((unsigned long)page);
	return done ? done : err;
}
