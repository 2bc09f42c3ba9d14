/* SPDX-License-Identifier: GPL-2.0-only */
/* How the machine is, in numbers. */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

struct sysinfo {
	long uptime;
	unsigned long loads[3];
	unsigned long totalram;
	unsigned long freeram;
	unsigned long sharedram;
	unsigned long bufferram;
	unsigned long totalswap;
	unsigned long freeswap;
	unsigned short procs;
	unsigned short pad;
	unsigned long totalhigh;
	unsigned long freehigh;
	unsigned int mem_unit;
};

SYSCALL_DEFINE1(sysinfo, struct sysinfo __user *, info)
{
	struct sysinfo val = { .mem_unit = 1 };
	struct task_struct *p;

	val.uptime = ktime_get() / NSEC_PER_SEC;
	val.totalram = max_pfn * PAGE_SIZE;
	val.freeram = nr_free_pages() * PAGE_SIZE;
	spin_lock(&tasklist_lock);
	for_each_task(p)
		val.procs++;
	spin_unlock(&tasklist_lock);
	return copy_to_user(info, &val, sizeof(val)) ? -EFAULT : 0;
}
