/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/console, also known as /dev/tty: the host's terminal. */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <emu/hostcall.h>

#define TTYAUX_MAJOR	5
#define TTY_MINOR	0
#define CONSOLE_MINOR	1

static DECLARE_WAIT_QUEUE_HEAD(console_wait);

/* Called with interrupts off. */
void console_input_ready(void)
{
	wake_up_interruptible_all(&console_wait);
	command_ready();
}

static inline long console_fetch(void *buf, size_t size)
{
	return hostcall2(HC_CONSOLE_READ, buf, size);
}

/* Waits for input; returns what there is, 0 at its end. */
static ssize_t console_read(struct kiocb *iocb, struct iov_iter *to)
{
	size_t size = min(iov_iter_count(to), PAGE_SIZE);
	char *page = (char *)__get_free_page(GFP_KERNEL);
	long len;

	if (!page)
		return -ENOMEM;
	if (iocb->ki_filp->f_flags & O_NONBLOCK)
		len = console_fetch(page, size);
	else if (wait_event_interruptible(console_wait,
			(len = console_fetch(page, size)) != -EAGAIN))
		len = -ERESTARTSYS;
	if (len > 0 && copy_to_iter(page, len, to) < len)
		len = -EFAULT;
	free_page((unsigned long)page);
	return len;
}

/* Up to a page is written in one piece. */
static ssize_t console_write(struct kiocb *iocb, struct iov_iter *from)
{
	char *page = (char *)__get_free_page(GFP_KERNEL);
	ssize_t done = 0;

	if (!page)
		return -ENOMEM;
	while (iov_iter_count(from)) {
		size_t n = min(iov_iter_count(from), PAGE_SIZE);
		size_t copied = copy_from_iter(page, n, from);

		hostcall2(HC_CONSOLE_WRITE, page, copied);
		done += copied;
		if (copied < n) {
			done = done ? done : -EFAULT;
			break;
		}
	}
	free_page((unsigned long)page);
	return done;
}

static const struct file_operations console_fops = {
	.open		= stream_open,
	.read_iter	= console_read,
	.write_iter	= console_write,
};

static int __init console_dev_init(void)
{
	register_chrdev(TTYAUX_MAJOR, &console_fops);
	device_create("/dev/console", MKDEV(TTYAUX_MAJOR, CONSOLE_MINOR), 0600);
	device_create("/dev/tty", MKDEV(TTYAUX_MAJOR, TTY_MINOR), 0666);
	return 0;
}
device_initcall(console_dev_init);

void __init console_on_rootfs(void)
{
	struct file *file = filp_open("/dev/console", O_RDWR, 0);

	if (IS_ERR(file))
		panic("/dev/console: error %ld", PTR_ERR(file));
	for (int i = 0; i < 3; i++)
		f_dupfd(0, file, 0);
	fput(file);
}
