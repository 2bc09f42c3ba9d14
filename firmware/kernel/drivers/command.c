/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/command: what the host wants run. A read waits for a command: a program
 * and its arguments, a NUL after each. With the ioctl COMMAND_EXEC the process
 * that is to become the program says so. A write of a wait status says how the
 * command ended. If the host does not want to wait for that, process 1 gets a
 * SIGUSR1.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <emu/command.h>
#include <emu/hostcall.h>

#define LOCAL_MAJOR	240	/* the first for local use */
#define COMMAND_MINOR	0

static DECLARE_WAIT_QUEUE_HEAD(command_wait);

/* Process 1, once it has asked for a command. */
static struct task_struct *command_server;

/* Called with interrupts off. */
void command_ready(void)
{
	if (command_server && hostcall0(HC_COMMAND_GIVEN_UP))
		send_sig(SIGUSR1, command_server, 1);
	wake_up_interruptible_all(&command_wait);
}

static inline long command_fetch(char *buf, size_t size)
{
	return hostcall2(HC_COMMAND_READ, buf, size);
}

static ssize_t command_read(struct kiocb *iocb, struct iov_iter *to)
{
	size_t size = min(iov_iter_count(to), PAGE_SIZE);
	char *page;
	long ret;

	if (!size)
		return 0;
	if (is_global_init(current))
		command_server = current;
	page = (char *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	if (wait_event_interruptible(command_wait,
			(ret = command_fetch(page, size)) != -EAGAIN))
		ret = -ERESTARTSYS;
	if (ret > 0 && copy_to_iter(page, ret, to) < ret)
		ret = -EFAULT;
	free_page((unsigned long)page);
	return ret;
}

static ssize_t command_write(struct kiocb *iocb, struct iov_iter *from)
{
	int status;

	if (iov_iter_count(from) != sizeof(status))
		return -EINVAL;
	if (copy_from_iter(&status, sizeof(status), from) < sizeof(status))
		return -EFAULT;
	hostcall1(HC_COMMAND_DONE, status);
	return sizeof(status);
}

static long command_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	if (cmd != COMMAND_EXEC)
		return -ENOIOCTLCMD;
	return hostcall1(HC_COMMAND_EXEC, current->pid);
}

static const struct file_operations command_fops = {
	.open		= stream_open,
	.read_iter	= command_read,
	.write_iter	= command_write,
	.unlocked_ioctl	= command_ioctl,
};

static int __init command_dev_init(void)
{
	register_chrdev(LOCAL_MAJOR, &command_fops);
	device_create("/dev/command", MKDEV(LOCAL_MAJOR, COMMAND_MINOR), 0600);
	return 0;
}
device_initcall(command_dev_init);
