/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of the machine and its kernel in a line or two. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched/loadavg.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/utsname.h>
#include <emu/boot_params.h>

#include "internal.h"

static int cmdline_proc_show(struct seq_file *m, void *v)
{
	seq_puts(m, boot_params.command_line);
	seq_putc(m, '\n');
	return 0;
}

static int version_proc_show(struct seq_file *m, void *v)
{
	seq_printf(m, linux_proc_banner, utsname()->sysname,
		   utsname()->release, utsname()->version);
	return 0;
}

static void show_seconds(struct seq_file *m, u64 ns, char end)
{
	seq_printf(m, "%lu.%02lu%c", (unsigned long)(ns / NSEC_PER_SEC),
		   (unsigned long)(ns % NSEC_PER_SEC / (NSEC_PER_SEC / 100)),
		   end);
}

/* Since boot, and how much of that all CPUs together have been idle. */
static int uptime_proc_show(struct seq_file *m, void *v)
{
	u64 idle = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		idle += get_cpu_idle_time_us(cpu) * NSEC_PER_USEC;
	show_seconds(m, ktime_get(), ' ');
	show_seconds(m, idle, '\n');
	return 0;
}

/* Averages over 1, 5, 15 minutes; tasks that run, all of them; the last pid. */
static int loadavg_proc_show(struct seq_file *m, void *v)
{
	unsigned long loads[3];

	get_avenrun(loads, FIXED_1 / 200);
	for (int i = 0; i < 3; i++)
		seq_printf(m, "%lu.%02lu ", LOAD_INT(loads[i]),
			   LOAD_FRAC(loads[i]));
	seq_printf(m, "%u/%d %d\n", nr_running(), nr_threads, last_pid());
	return 0;
}

static int __init proc_misc_init(void)
{
	proc_create_single("cmdline", 0, NULL, cmdline_proc_show);
	proc_create_single("version", 0, NULL, version_proc_show);
	proc_create_single("loadavg", 0, NULL, loadavg_proc_show);
	proc_create_single("uptime", 0, NULL, uptime_proc_show);
	return 0;
}
fs_initcall(proc_misc_init);
