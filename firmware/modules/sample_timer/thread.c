/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that counts too, and sleeps in between. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include "sample_timer.h"

static struct task_struct *thread;

static void sample_rest(unsigned int msecs)
{
	msleep_interruptible(msecs);
}

static int sample_thread(void *data)
{
	unsigned int period = (unsigned long)data;

	while (!kthread_should_stop()) {
		sample_count();
		sample_rest(period);
	}
	return 0;
}

int sample_thread_start(unsigned int period)
{
	thread = kthread_run(sample_thread, (void *)(unsigned long)period,
			     "sample_thread");
	return PTR_ERR_OR_ZERO(thread);
}

void sample_thread_stop(void)
{
	kthread_stop(thread);
}
