/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/lkdtm: a semaphore's writers are alone, and nobody goes back in time. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "lkdtm.h"

#define RWSEM_THREADS	6
#define RWSEM_ROUNDS	160
#define RWSEM_WRITES	4	/* one in so many rounds writes ... */
#define RWSEM_SLEEPS	16	/* ... and first sleeps, so that all others queue */

struct test_rwsem {
	struct rw_semaphore sem;
	atomic_t readers;	/* inside */
	unsigned int writes;
	ktime_t written;	/* when, by the last writer's clock */
	ktime_t read[RWSEM_THREADS];
	atomic_t running;	/* threads, which also give out numbers */
};

static void test_write(struct test_rwsem *t, unsigned int round)
{
	unsigned int i, writes;

	down_write(&t->sem);
	WARN_ON(atomic_read(&t->readers) || ktime_get() < t->written);
	for (i = 0; i < RWSEM_THREADS; i++)
		WARN_ON(ktime_get() < t->read[i]);
	writes = t->writes;
	if (round < RWSEM_SLEEPS)
		schedule_timeout_uninterruptible(1);
	t->writes = writes + 1;
	t->written = ktime_get();
	up_write(&t->sem);
}

static void test_read(struct test_rwsem *t, unsigned int number)
{
	unsigned int writes;

	down_read(&t->sem);
	atomic_inc(&t->readers);
	writes = t->writes;
	WARN_ON(ktime_get() < t->written);
	cond_resched();
	WARN_ON(t->writes != writes);
	t->read[number] = ktime_get();
	atomic_dec(&t->readers);
	up_read(&t->sem);
}

static int lkdtm_rwsem_thread(void *data)
{
	struct test_rwsem *t = data;
	unsigned int round, number = atomic_add_return(1, &t->running) - 1;

	for (round = 0; round < RWSEM_ROUNDS; round++) {
		if ((round + number) % RWSEM_WRITES)
			test_read(t, number);
		else
			test_write(t, round + number);
	}
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

void lkdtm_RWSEM(void)
{
	struct test_rwsem *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct task_struct *threads[RWSEM_THREADS];
	unsigned int i;

	if (WARN_ON(!t))
		return;
	init_rwsem(&t->sem);
	for (i = 0; i < RWSEM_THREADS; i++)
		threads[i] = kthread_run(lkdtm_rwsem_thread, t,
					 "lkdtm_rwsem/%u", i);
	while (atomic_read(&t->running) < RWSEM_THREADS)
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < RWSEM_THREADS; i++)
		kthread_stop(threads[i]);
	WARN_ON(t->writes != RWSEM_THREADS * RWSEM_ROUNDS / RWSEM_WRITES);
	WARN_ON(!down_read_trylock(&t->sem));
	up_read(&t->sem);
	kfree(t);
}
