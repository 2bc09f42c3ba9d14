/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs ask of terminals, and have them do. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tty.h>
#include <linux/uaccess.h>

static int get_termios(struct tty_struct *tty, void __user *arg, bool speeds)
{
	struct ktermios2 k = { .c_ispeed = 38400, .c_ospeed = 38400 };

	mutex_lock(&tty->termios_mutex);
	k.termios = tty->termios;
	mutex_unlock(&tty->termios_mutex);
	termios_to_user(&k.termios);
	return copy_to_user(arg, &k, speeds ? sizeof(k) :
				     USER_TERMIOS_SIZE) ? -EFAULT : 0;
}

static int set_termios(struct tty_struct *tty, const void __user *arg,
		       bool flush)
{
	struct ktermios new, old;
	int err = tty_check_change(tty);

	if (err)
		return err;
	mutex_lock(&tty->termios_mutex);
	new = tty->termios;
	mutex_unlock(&tty->termios_mutex);
	if (copy_from_user(&new, arg, USER_TERMIOS_SIZE))
		return -EFAULT;
	termios_from_user(&new);
	if (flush)
		n_tty_flush_buffer(tty);
	mutex_lock(&tty->termios_mutex);
	old = tty->termios;
	tty->termios = new;
	n_tty_set_termios(tty, &old);
	mutex_unlock(&tty->termios_mutex);
	/* What was typed before may mean something now. */
	if (tty->ops->unthrottle)
		tty->ops->unthrottle(tty);
	return 0;
}

static int get_winsize(struct tty_struct *tty, struct winsize __user *arg)
{
	struct winsize ws;

	mutex_lock(&tty->termios_mutex);
	ws = tty->winsize;
	mutex_unlock(&tty->termios_mutex);
	return copy_to_user(arg, &ws, sizeof(ws)) ? -EFAULT : 0;
}

static int flush_queues(struct tty_struct *tty, unsigned long which)
{
	int err = tty_check_change(tty);

	if (err)
		return err;
	if (which > TCIOFLUSH)
		return -EINVAL;
	if (which != TCOFLUSH)
		n_tty_flush_buffer(tty);
	return 0;
}

static int control_flow(struct tty_struct *tty, unsigned long what)
{
	int err = tty_check_change(tty);

	if (err)
		return err;
	switch (what) {
	case TCOOFF:
		tty->flow_stopped = true;
		return 0;
	case TCOON:
		tty->flow_stopped = false;
		wake_up_interruptible_all(&tty->write_wait);
		return 0;
	case TCIOFF:
	case TCION:
		return 0;
	default:
		return -EINVAL;
	}
}

static int put_number(int n, void __user *arg)
{
	return put_user(n, (int __user *)arg);
}

long tty_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tty_struct *tty = file->private_data;
	void __user *p = (void __user *)arg;
	struct winsize ws;

	/* Without somebody to sit at it, it is not what one calls a terminal. */
	if (tty->ops->get_winsize) {
		ws = tty->ops->get_winsize(tty);
		if (!ws.ws_row)
			return -ENOTTY;
		if (cmd == TIOCGWINSZ)
			tty_do_resize(tty, ws);
	}
	switch (cmd) {
	case TCGETS:
		return get_termios(tty, p, false);
	case TCGETS2:
		return get_termios(tty, p, true);
	case TCSETS:
	case TCSETSW:
	case TCSETS2:
	case TCSETSW2:
		return set_termios(tty, p, false);
	case TCSETSF:
	case TCSETSF2:
		return set_termios(tty, p, true);
	case TIOCGWINSZ:
		return get_winsize(tty, p);
	case TIOCSWINSZ:
		if (copy_from_user(&ws, p, sizeof(ws)))
			return -EFAULT;
		tty_do_resize(tty, ws);
		return 0;
	case FIONREAD:
		return put_number(n_tty_chars_in_buffer(tty), p);
	case TIOCOUTQ:
		return put_number(0, p);	/* it is all with the host */
	case TCFLSH:
		return flush_queues(tty, arg);
	case TCXONC:
		return control_flow(tty, arg);
	case TCSBRK:
	case TCSBRKP:
		return tty_check_change(tty);
	default:
		return tty_jobctrl_ioctl(tty, cmd, arg);
	}
}
