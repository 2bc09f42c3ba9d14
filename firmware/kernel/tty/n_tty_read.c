/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading from a terminal: lines, or what there is. */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>
#include <linux/uio.h>

bool input_available_p(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;

	return smp_load_acquire(&ldata->canon_head) != ldata->read_tail;
}

size_t n_tty_chars_in_buffer(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t n;

	spin_lock(&ldata->lock);
	n = ldata->canon_head - ldata->read_tail;
	spin_unlock(&ldata->lock);
	return n;
}

/* One byte, and whether a line ends with it. False: there is none. */
static bool take_char(struct tty_struct *tty, char *c, bool *ends_line)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t i = ldata->read_tail % N_TTY_BUF_SIZE;

	if (ldata->canon_head == ldata->read_tail)
		return false;
	*c = ldata->read_buf[i];
	*ends_line = L_ICANON(tty) && test_bit(i, ldata->read_flags);
	__clear_bit(i, ldata->read_flags);
	ldata->read_tail++;
	return true;
}

/* An end of file typed right after a full read would be one too many. */
static void skip_eof(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t i = ldata->read_tail % N_TTY_BUF_SIZE;

	if (ldata->canon_head != ldata->read_tail && L_ICANON(tty) &&
	    test_bit(i, ldata->read_flags) &&
	    ldata->read_buf[i] == __DISABLED_CHAR) {
		__clear_bit(i, ldata->read_flags);
		ldata->read_tail++;
	}
}

/* Up to the end of a line, or all there is; *@done: no more is to come. */
static size_t copy_from_read_buf(struct tty_struct *tty, char *buf,
				 size_t size, bool *done)
{
	struct n_tty_data *ldata = &tty->n_tty;
	bool ends_line = false;
	size_t n = 0;
	char c;

	spin_lock(&ldata->lock);
	while (n < size && take_char(tty, &c, &ends_line)) {
		if (ends_line && c == __DISABLED_CHAR)
			break;
		buf[n++] = c;
		if (ends_line)
			break;
	}
	if (n == size && !ends_line)
		skip_eof(tty);
	*done = ends_line || n == size;
	spin_unlock(&ldata->lock);
	return n;
}

/* VMIN and VTIME: how much is waited for, and how long. */
static ktime_t read_deadline(struct tty_struct *tty, size_t have)
{
	unsigned int min = tty->termios.c_cc[VMIN];
	unsigned int time = tty->termios.c_cc[VTIME];

	if (L_ICANON(tty) || !time || (min && !have))
		return KTIME_MAX;
	return ktime_get() + time * (NSEC_PER_SEC / 10);
}

/* What there is; 0 at the end of all input, -EAGAIN: nothing yet. */
static ssize_t try_read(struct tty_struct *tty, char *buf, size_t size,
			bool *done)
{
	ssize_t n;

	if (input_available_p(tty))
		return copy_from_read_buf(tty, buf, size, done);
	if (L_COOKED(tty) && !tty->ended)
		return -EAGAIN;
	n = L_COOKED(tty) ? 0 : tty->ops->fetch(tty, buf, size);
	*done = !n || n == size;
	return n;
}

/* One more piece; *@done: there is no more to wait for. */
static ssize_t read_piece(struct tty_struct *tty, struct file *file, char *buf,
			  size_t size, size_t have, bool *done)
{
	bool polls = !L_ICANON(tty) && !tty->termios.c_cc[VMIN] &&
		     !tty->termios.c_cc[VTIME];
	ktime_t expires = read_deadline(tty, have);
	DEFINE_WAIT(wait);
	ssize_t n;
	int err;

	for (;;) {
		err = prepare_to_wait_event(&tty->read_wait, &wait,
					    TASK_INTERRUPTIBLE);
		n = try_read(tty, buf, size, done);
		if (n != -EAGAIN || file->f_flags & O_NONBLOCK)
			break;
		n = 0;
		*done = true;
		if (polls)
			break;
		n = err;
		if (err)
			break;
		if (!schedule_hrtimeout(&expires, HRTIMER_MODE_ABS))
			break;
		*done = false;
	}
	finish_wait(&tty->read_wait, &wait);
	return n;
}

static ssize_t read_into(struct tty_struct *tty, struct file *file, char *buf,
			 size_t size)
{
	size_t min = L_ICANON(tty) ? 1 : tty->termios.c_cc[VMIN], have = 0;
	bool done = false;
	ssize_t n = 0;

	if (min > size)
		min = size;
	do {
		n = read_piece(tty, file, buf + have, size - have, have, &done);
		if (n < 0)
			break;
		have += n;
	} while (!done && have < min);
	return have ? (ssize_t)have : n;
}

ssize_t n_tty_read(struct tty_struct *tty, struct file *file,
		   struct iov_iter *to)
{
	size_t size = min(iov_iter_count(to), PAGE_SIZE);
	char *page;
	ssize_t n;
	int err = job_control(tty);

	if (err)
		return err;
	if (!size)
		return 0;
	page = (char *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	mutex_lock(&tty->read_lock);
	n = read_into(tty, file, page, size);
	mutex_unlock(&tty->read_lock);
	if (n > 0 && copy_to_iter(page, n, to) < n)
		n = -EFAULT;
	free_page((unsigned long)page);
	/* There may be room again for what the host holds back. */
	if (n > 0 && tty->ops->unthrottle)
		tty->ops->unthrottle(tty);
	return n;
}
