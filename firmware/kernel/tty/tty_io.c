/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are terminals. */
#include <linux/device.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tty.h>
#include <linux/uio.h>

#define TTYAUX_MAJOR	5
#define TTY_MINOR	0
#define CONSOLE_MINOR	1

/* Everything is passed on; init sets it to what one expects of a terminal. */
static const struct ktermios tty_raw_termios = {
	.c_cflag = B38400 | CS8 | CREAD | HUPCL,
	.c_cc = { [VMIN] = 1 },
};

void tty_init_struct(struct tty_struct *tty, const struct tty_operations *ops)
{
	memset(tty, 0, sizeof(*tty));
	tty->ops = ops;
	tty->termios = tty_raw_termios;
	spin_lock_init(&tty->ctrl_lock);
	mutex_init(&tty->termios_mutex);
	mutex_init(&tty->read_lock);
	mutex_init(&tty->write_lock);
	init_waitqueue_head(&tty->read_wait);
	init_waitqueue_head(&tty->write_wait);
	tty_buffer_init(tty);
	n_tty_init(tty);
}

/* A window that changes its size tells those who draw in it. */
void tty_do_resize(struct tty_struct *tty, struct winsize ws)
{
	bool changed;

	mutex_lock(&tty->termios_mutex);
	changed = memcmp(&ws, &tty->winsize, sizeof(ws));
	tty->winsize = ws;
	mutex_unlock(&tty->termios_mutex);
	if (changed)
		isig(SIGWINCH, tty);
}

/* Whoever sat there is gone: so is the session, unless it minds. */
void tty_hangup(struct tty_struct *tty)
{
	struct task_struct *p;
	struct pid *session;

	tty->ended = true;
	spin_lock_irq(&tasklist_lock);
	session = tty->session;
	if (session) {
		do_each_pid_task(session, PIDTYPE_SID, p) {
			if (!p->signal->leader)
				continue;
			group_send_sig_info(SIGHUP, SEND_SIG_PRIV, p,
					    PIDTYPE_TGID);
			group_send_sig_info(SIGCONT, SEND_SIG_PRIV, p,
					    PIDTYPE_TGID);
		}
	}
	spin_unlock_irq(&tasklist_lock);
	wake_up_interruptible_all(&tty->read_wait);
	wake_up_interruptible_all(&tty->write_wait);
}

static struct tty_struct *file_tty(struct file *file)
{
	return file->private_data;
}

static ssize_t tty_read(struct kiocb *iocb, struct iov_iter *to)
{
	return n_tty_read(file_tty(iocb->ki_filp), iocb->ki_filp, to);
}

static ssize_t tty_write(struct kiocb *iocb, struct iov_iter *from)
{
	return n_tty_write(file_tty(iocb->ki_filp), from);
}

/* Uncooked input is with the host, which is asked for none of it. */
static bool tty_readable(struct tty_struct *tty)
{
	if (input_available_p(tty) || tty->ended)
		return true;
	return !L_COOKED(tty) && tty->ops->fetch(tty, NULL, 0) != -EAGAIN;
}

static __poll_t tty_poll(struct file *file, poll_table *wait)
{
	struct tty_struct *tty = file_tty(file);
	__poll_t mask = 0;

	poll_wait(file, &tty->read_wait, wait);
	poll_wait(file, &tty->write_wait, wait);
	if (tty_readable(tty))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (tty->ended)
		mask |= EPOLLHUP;
	if (!tty->flow_stopped)
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

/* /dev/console is the terminal of everybody, /dev/tty one's own. */
static int tty_open(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = &console_tty;

	if (MINOR(inode->i_rdev) == TTY_MINOR)
		tty = get_current_tty();
	else if (MINOR(inode->i_rdev) != CONSOLE_MINOR)
		tty = NULL;
	if (!tty)
		return -ENXIO;
	file->private_data = tty;
	return stream_open(inode, file);
}

static const struct file_operations tty_fops = {
	.open		= tty_open,
	.read_iter	= tty_read,
	.write_iter	= tty_write,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
	.poll		= tty_poll,
	.unlocked_ioctl	= tty_ioctl,
};

static int __init tty_init(void)
{
	register_chrdev(TTYAUX_MAJOR, &tty_fops);
	device_create("/dev/console", MKDEV(TTYAUX_MAJOR, CONSOLE_MINOR), 0600);
	device_create("/dev/tty", MKDEV(TTYAUX_MAJOR, TTY_MINOR), 0666);
	return 0;
}
device_initcall(tty_init);

void __init console_on_rootfs(void)
{
	struct file *file = filp_open("/dev/console", O_RDWR, 0);

	if (IS_ERR(file))
		panic("/dev/console: error %ld", PTR_ERR(file));
	for (int i = 0; i < 3; i++)
		f_dupfd(0, file, 0);
	fput(file);
}
