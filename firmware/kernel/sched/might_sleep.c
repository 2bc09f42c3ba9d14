/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding those who may sleep where that is forbidden, before they do. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

/* Between two reports, in jiffies: one mistake is often many. */
#define REPORT_INTERVAL	HZ

/* Nothing holds the running task in its place, but for what @offsets counts. */
static inline bool may_resched(unsigned int offsets)
{
	return !((preempt_count() ^ offsets) | irqs_disabled() |
		 current->rcu_read_lock_nesting | is_idle_task(current));
}

void __might_resched(const char *file, int line, unsigned int offsets)
{
	static unsigned long prev_jiffy;
	struct task_struct *p = current;

	if (may_resched(offsets) || system_state == SYSTEM_BOOTING)
		return;
	if (prev_jiffy && time_before(jiffies, prev_jiffy + REPORT_INTERVAL))
		return;
	prev_jiffy = jiffies;
	printk("BUG: sleeping function called from invalid context at %s:%d\n",
	       file, line);
	printk("in_atomic(): %d, irqs_disabled(): %d, non_block: 0, "
	       "pid: %d, name: %s\n", in_atomic(), irqs_disabled(), p->pid,
	       p->comm);
	printk("preempt_count: %x, expected: %x\n", preempt_count(), offsets);
	printk("RCU nest depth: %d, expected: 0\n", p->rcu_read_lock_nesting);
	report_bug(NULL, "BUG: sleeping function called from invalid context "
		   "at %s:%d", file, line);
}

void __might_sleep(const char *file, int line)
{
	__might_resched(file, line, 0);
}

void __might_fault(const char *file, int line)
{
	/* A kernel thread's copies are from the kernel to itself. */
	if (current->mm && !pagefault_disabled())
		__might_sleep(file, line);
}
