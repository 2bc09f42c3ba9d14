/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe at the beginning of a function, as Linux's module of this name has it:
 * prints the registers before and after the instruction there.
 */
#define pr_fmt(fmt) "%s: " fmt, __func__
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include "kprobe_example.h"

static char symbol[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(symbol, symbol, KSYM_NAME_LEN, 0644);
MODULE_PARM_DESC(symbol, "the function");

static struct kprobe kp = {
	.symbol_name = symbol,
};

static int handler_pre(struct kprobe *p, struct pt_regs *regs)
{
	pr_info("<%s> p->addr = 0x%p, " PRE_FORMAT "\n", p->symbol_name,
		p->addr, PRE_REGISTERS(regs));
	return 0;
}

static void handler_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	pr_info("<%s> p->addr = 0x%p, " POST_FORMAT "\n", p->symbol_name,
		p->addr, POST_REGISTERS(regs));
}

static int __init kprobe_init(void)
{
	int ret;

	kp.pre_handler = handler_pre;
	kp.post_handler = handler_post;
	ret = register_kprobe(&kp);
	if (ret < 0) {
		pr_err("register_kprobe failed, returned %d\n", ret);
		return ret;
	}
	pr_info("Planted kprobe at %p\n", kp.addr);
	return 0;
}

static void __exit kprobe_exit(void)
{
	unregister_kprobe(&kp);
	pr_info("kprobe at %p unregistered\n", kp.addr);
}

module_init(kprobe_init);
module_exit(kprobe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Prints what a probed function is called with");
