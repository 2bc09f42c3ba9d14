/* SPDX-License-Identifier: GPL-2.0-only */
/* A fault of the kernel itself: the report, and the end of the task. */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/oops.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/spinlock.h>
#include <linux/utsname.h>
#include <emu/hostcall.h>

#define REPORT_SIZE	4096

int panic_on_oops;

static DEFINE_SPINLOCK(die_lock);
static unsigned int die_counter;	/* under die_lock, as is ... */
static char report[REPORT_SIZE];

/* A text of several lines, each a message of its own. */
static void print_lines(char *text)
{
	char *line, *end;

	for (line = text; *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		printk("%s\n", line);
	}
}

/*
 * With die_lock. The host knows the names of addresses, and how to follow the
 * stack; with @oops it warns of one, too. Without @regs only how we came here.
 */
static void __show_regs(struct pt_regs *regs, bool oops)
{
	struct task_struct *tsk = current;
	long len;

	printk("CPU: %d PID: %d Comm: %s Not tainted %s %s\n",
	       smp_processor_id(), tsk->pid, tsk->comm, UTS_RELEASE,
	       UTS_VERSION);
	len = hostcall(HC_SHOW_REGS, (unsigned long)regs,
		       (unsigned long)report, REPORT_SIZE - 1, oops);
	report[len > 0 ? len : 0] = '\0';
	print_lines(report);
}

/* An NMI may come while a report is being made: that one is enough. */
void show_regs(struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	if (spin_trylock(&die_lock)) {
		__show_regs(regs, false);
		spin_unlock(&die_lock);
	}
	local_irq_restore(flags);
}

void dump_stack(void)
{
	show_regs(NULL);
}

static __printf(2, 0) void __die(struct pt_regs *regs, const char *fmt,
				 va_list args)
{
	vsnprintf(report, REPORT_SIZE, fmt, args);
	print_lines(report);
	printk("Oops [#%u] PREEMPT SMP\n", ++die_counter);
	__show_regs(regs, true);
	print_modules();
	ftrace_dump(ftrace_dump_on_oops);
	printk("---[ end trace 0000000000000000 ]---\n");
}

/*
 * Never returns. Interrupts and preemption are turned on again for the task's
 * last steps; the locks that it holds are lost.
 */
__noreturn void make_task_dead(int signr)
{
	struct task_struct *tsk = current;

	if (in_interrupt())
		panic("Aiee, killing interrupt handler!");
	if (!tsk->pid)
		panic("Attempted to kill the idle task!");
	if (irqs_disabled()) {
		printk("note: %s[%d] exited with irqs disabled\n", tsk->comm,
		       tsk->pid);
		local_irq_enable();
	}
	if (in_atomic()) {
		printk("note: %s[%d] exited with preempt_count %d\n",
		       tsk->comm, tsk->pid, (int)preempt_count());
		__preempt_count_sub(preempt_count());
	}
	/* It has oopsed on its way out: what it still holds is lost. */
	if (tsk->flags & PF_EXITING) {
		printk("Fixing recursive fault but reboot is needed!\n");
		for (;;) {
			set_current_state(TASK_UNINTERRUPTIBLE);
			schedule();
		}
	}
	do_exit(signr);
}

/*
 * In any context; never returns. In an interrupt, or in the idle task, it ends
 * the machine, else the task.
 */
void oops(struct pt_regs *regs, const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	spin_lock_irqsave(&die_lock, flags);
	va_start(args, fmt);
	__die(regs, fmt, args);
	va_end(args);
	spin_unlock_irqrestore(&die_lock, flags);
	if (in_interrupt())
		panic_regs(regs, "Fatal exception in interrupt");
	if (panic_on_oops)
		panic_regs(regs, "Fatal exception");
	make_task_dead(SIGSEGV);
}

void die(const char *what, struct pt_regs *regs, long err)
{
	oops(regs, "%s: %04lx", what, err & 0xffff);
}
