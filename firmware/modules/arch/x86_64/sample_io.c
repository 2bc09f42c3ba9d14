/* SPDX-License-Identifier: GPL-2.0-only */
/* Uses the registers of the board's device in all ways, from all CPUs. */
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/string.h>

/* Registers (docs/board.md). */
#define DEVICE_ACCESSES	0x108
#define DEVICE_MEMORY	0x400

#define ACCESSES_PER_CPU	8

static void __iomem *device;	/* NULL when it is no longer mapped */
static DEFINE_MUTEX(device_lock);
static char text[] = "sample_io moves this text";

/* Each read has its own value. */
static void read_on_cpu(void *unused)
{
	int i;

	for (i = 0; i < ACCESSES_PER_CPU; i++)
		readl(device + DEVICE_ACCESSES);
}

static int sample_io_strings(void)
{
	char copy[sizeof(text)];

	memcpy_toio(device + DEVICE_MEMORY, text, sizeof(text));
	memcpy_fromio(copy, device + DEVICE_MEMORY, sizeof(copy));
	if (memcmp(copy, text, sizeof(text)))
		return -EIO;
	memset_io(device + DEVICE_MEMORY, 0, sizeof(text));
	return 0;
}

static void sample_io_words(void)
{
	writeb(0xa1, device + DEVICE_MEMORY);
	writew(0xb2b1, device + DEVICE_MEMORY + 2);
	writel(0xc4c3c2c1, device + DEVICE_MEMORY + 4);
	writeq(0xd8d7d6d5d4d3d2d1, device + DEVICE_MEMORY + 8);
	readq(device + DEVICE_MEMORY);
}

/* No driver would do that: in one instruction, a register is read and written. */
static void sample_io_add(void)
{
	u32 __iomem *sum = device + DEVICE_MEMORY;

	writel(1, sum);
	asm volatile("addl $2, %0" : "+m" (*sum));
	readl(sum);
}

static int use_device(const char *val)
{
	if (!device)
		return -ENODEV;
	if (!strncmp(val, "words", 5))
		sample_io_words();
	else if (!strncmp(val, "strings", 7))
		return sample_io_strings();
	else if (!strncmp(val, "add", 3))
		sample_io_add();
	else if (!strncmp(val, "cpus", 4))
		on_each_cpu(read_on_cpu, NULL);
	else
		return -EINVAL;
	return 0;
}

/* Written to /sys/module/sample_io/parameters/do: what. */
static int do_set(const char *val, const struct kernel_param *kp)
{
	int err;

	mutex_lock(&device_lock);
	err = use_device(val);
	mutex_unlock(&device_lock);
	return err;
}

static const struct kernel_param_ops do_ops = {
	.set = do_set,
};
__module_param(do, text, do_ops, "charp", 0200);
MODULE_PARM_DESC(do, "words, strings, add or cpus: what to do with the device now");

static int __init sample_io_init(void)
{
	device = ioremap(IO_WINDOW_START, PAGE_SIZE);
	return device ? 0 : -ENOMEM;
}
module_init(sample_io_init);

static void __exit sample_io_exit(void)
{
	mutex_lock(&device_lock);
	iounmap(device);
	device = NULL;
	mutex_unlock(&device_lock);
}
module_exit(sample_io_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Uses the registers of the board's device");
