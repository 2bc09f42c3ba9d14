/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/cpuinfo: the architecture knows what there is to say. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <asm/processor.h>

#include "internal.h"

static int cpuinfo_show(struct seq_file *m, void *v)
{
	arch_show_cpuinfo(m);
	return 0;
}

static int __init proc_cpuinfo_init(void)
{
	proc_create_single("cpuinfo", 0, NULL, cpuinfo_show);
	return 0;
}
fs_initcall(proc_cpuinfo_init);
