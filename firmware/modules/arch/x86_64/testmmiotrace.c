/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses a device's registers, so that mmiotrace has something to trace. What it
 * writes makes no sense to any device but the board's, which keeps it.
 */
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#define PLAIN_SIZE	(16UL << 10)
#define FAR_SIZE	(8UL << 20)

static unsigned long mmio_address;
module_param(mmio_address, ulong, 0444);
MODULE_PARM_DESC(mmio_address, "where to map 16 kB, or 8 MB with read_far: a physical address");

static unsigned long read_far;
module_param(read_far, ulong, 0444);
MODULE_PARM_DESC(read_far, "where in 8 MB to read 32 bits; 0: nowhere");

/* From which place on which width is used, and what is there. */
#define WORDS		1024
#define LONGS		(5 * 1024)

static u16 v16(unsigned int i)
{
	return i * 12 + 7;
}

static u32 v32(unsigned int i)
{
	return i * 212371 + 13;
}

static void do_write_test(void __iomem *p)
{
	unsigned int i;

	mmiotrace_printk("write test.\n");
	for (i = 0; i < 256; i++)
		iowrite8(i, p + i);
	for (i = WORDS; i < LONGS; i += 2)
		iowrite16(v16(i), p + i);
	for (i = LONGS; i < PLAIN_SIZE; i += 4)
		iowrite32(v32(i), p + i);
}

static void do_read_test(void __iomem *p)
{
	unsigned int errs[3] = {};
	unsigned int i;

	mmiotrace_printk("read test.\n");
	for (i = 0; i < 256; i++)
		errs[0] += ioread8(p + i) != i;
	for (i = WORDS; i < LONGS; i += 2)
		errs[1] += ioread16(p + i) != v16(i);
	for (i = LONGS; i < PLAIN_SIZE; i += 4)
		errs[2] += ioread32(p + i) != v32(i);
	mmiotrace_printk("read errors: %u bytes, %u words, %u longs.\n",
			 errs[0], errs[1], errs[2]);
}

static void do_read_far_test(void __iomem *p)
{
	mmiotrace_printk("read far test.\n");
	ioread32(p + read_far);
}

static int do_test(unsigned long size)
{
	void __iomem *p = ioremap(mmio_address, size);

	if (!p) {
		pr_err("testmmiotrace: 0x%lx cannot be mapped\n", mmio_address);
		return -EINVAL;
	}
	mmiotrace_printk("mapped at %p.\n", p);
	do_write_test(p);
	do_read_test(p);
	if (read_far && read_far < size - 4)
		do_read_far_test(p);
	iounmap(p);
	return 0;
}

/* Mappings that come and go in quick succession. */
static void do_test_bulk_ioremapping(void)
{
	void __iomem *p;
	int i;

	for (i = 0; i < 10; i++) {
		p = ioremap(mmio_address, PAGE_SIZE);
		if (p)
			iounmap(p);
	}
	synchronize_rcu();
}

static int __init testmmiotrace_init(void)
{
	int err;

	if (!mmio_address) {
		pr_err("testmmiotrace: which mmio_address?\n");
		return -ENXIO;
	}
	err = do_test(read_far ? FAR_SIZE : PLAIN_SIZE);
	if (err)
		return err;
	do_test_bulk_ioremapping();
	pr_info("testmmiotrace: all done\n");
	return 0;
}
module_init(testmmiotrace_init);

static void __exit testmmiotrace_exit(void)
{
}
module_exit(testmmiotrace_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Uses a device's registers");
