/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/lkdtm: the kernel does what it should not, to see how that is reported.
 * A read lists what can be written.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <asm/processor.h>
#include "lkdtm.h"

#define MISC_MAJOR	10
#define LKDTM_MINOR	0

#define FRAME_SIZE	64	/* what a call of recursive_loop takes, at least */

struct crashtype {
	const char *name;
	void (*func)(void);
};

static void lkdtm_PANIC(void)
{
	panic("as asked for");
}

static void lkdtm_BUG(void)
{
	BUG();
}

static void lkdtm_WARNING(void)
{
	WARN_ON(true);
}

/* Each call needs what is in its frame after the next one has returned. */
static __noclone int recursive_loop(int remaining)
{
	volatile char frame[FRAME_SIZE];

	frame[remaining % FRAME_SIZE] = remaining;
	if (!remaining)
		return 0;
	return recursive_loop(remaining - 1) + frame[remaining % FRAME_SIZE];
}

static void lkdtm_EXHAUST_STACK(void)
{
	recursive_loop(THREAD_SIZE / FRAME_SIZE);
}

static void lkdtm_SOFTLOCKUP(void)
{
	preempt_disable();
	for (;;)
		cpu_relax();
}

static void lkdtm_HARDLOCKUP(void)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
}

static const struct crashtype crashtypes[] = {
	{ "PANIC", lkdtm_PANIC },
	{ "BUG", lkdtm_BUG },
	{ "WARNING", lkdtm_WARNING },
	{ "EXHAUST_STACK", lkdtm_EXHAUST_STACK },
	{ "SOFTLOCKUP", lkdtm_SOFTLOCKUP },
	{ "HARDLOCKUP", lkdtm_HARDLOCKUP },
	{ "WORKQUEUE", lkdtm_WORKQUEUE },
	{ "RCU", lkdtm_RCU },
	{ "RWSEM", lkdtm_RWSEM },
	{ "TASKLET", lkdtm_TASKLET },
	{ "SLEEP_IN_ATOMIC", lkdtm_SLEEP_IN_ATOMIC },
};

static ssize_t lkdtm_read(struct kiocb *iocb, struct iov_iter *to)
{
	char text[256];
	int size = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(crashtypes); i++)
		size += snprintf(text + size, sizeof(text) - size, "%s\n",
				 crashtypes[i].name);
	if (iocb->ki_pos >= size)
		return 0;
	size = copy_to_iter(text + iocb->ki_pos, size - iocb->ki_pos, to);
	iocb->ki_pos += size;
	return size ? size : -EFAULT;
}

/* One name, with or without a newline. */
static ssize_t lkdtm_write(struct kiocb *iocb, struct iov_iter *from)
{
	size_t size = iov_iter_count(from);
	char name[32];
	unsigned int i;

	if (!size || size >= sizeof(name))
		return -EINVAL;
	if (copy_from_iter(name, size, from) < size)
		return -EFAULT;
	name[size - (name[size - 1] == '\n')] = '\0';
	for (i = 0; i < ARRAY_SIZE(crashtypes); i++) {
		if (!strcmp(name, crashtypes[i].name)) {
			crashtypes[i].func();
			return size;
		}
	}
	return -EINVAL;
}

static const struct file_operations lkdtm_fops = {
	.read_iter	= lkdtm_read,
	.write_iter	= lkdtm_write,
};

static int __init lkdtm_module_init(void)
{
	register_chrdev(MISC_MAJOR, &lkdtm_fops);
	device_create("/dev/lkdtm", MKDEV(MISC_MAJOR, LKDTM_MINOR), 0600);
	return 0;
}
device_initcall(lkdtm_module_init);
