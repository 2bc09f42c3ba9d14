/* SPDX-License-Identifier: GPL-2.0-only */
/* poll and ppoll: what can be done with each of some files. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/poll.h>

#include "timeout.h"

/* What happens on one descriptor now, of what is asked for. */
static __poll_t do_pollfd(struct pollfd *pollfd, poll_table *pt)
{
	__poll_t mask, filter;
	struct fd f;

	if (pollfd->fd < 0)
		return 0;
	f = fdget(pollfd->fd);
	if (!f.file)
		return EPOLLNVAL;
	filter = demangle_poll((unsigned short)pollfd->events) | EPOLLERR |
		 EPOLLHUP;
	pt->_key = filter;
	mask = vfs_poll(f.file, pt) & filter;
	fdput(f);
	return mask;
}

static int poll_all(struct pollfd *fds, unsigned int nfds,
		    struct poll_wqueues *pwq)
{
	int count = 0;

	for (unsigned int i = 0; i < nfds; i++) {
		__poll_t mask = do_pollfd(&fds[i], &pwq->pt);

		fds[i].revents = mangle_poll(mask);
		if (mask) {
			count++;
			pwq->pt._qproc = NULL;	/* there is no need to wait */
		}
	}
	/* From the second round on, the queues know us. */
	pwq->pt._qproc = NULL;
	return count;
}

static int do_poll(struct pollfd *fds, unsigned int nfds,
		   struct poll_wqueues *pwq, const struct timespec64 *timeout)
{
	ktime_t end;
	bool has_end = poll_end_time(&end, timeout), timed_out = false;
	int count;

	if (timeout && !timeout->tv_sec && !timeout->tv_nsec) {
		pwq->pt._qproc = NULL;
		timed_out = true;
	}
	for (;;) {
		count = poll_all(fds, nfds, pwq);
		if (!count) {
			count = pwq->error;
			if (signal_pending(current))
				count = -ERESTARTNOHAND;
		}
		if (count || timed_out)
			return count;
		if (!poll_schedule_timeout(pwq, TASK_INTERRUPTIBLE,
					   has_end ? &end : NULL))
			timed_out = true;
	}
}

static int do_sys_poll(struct pollfd __user *ufds, unsigned int nfds,
		       const struct timespec64 *timeout)
{
	struct poll_wqueues *table;
	struct pollfd *fds = NULL;
	int count;

	if (nfds > NR_OPEN_MAX)
		return -EINVAL;
	table = kmalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	count = -ENOMEM;
	if (nfds) {
		fds = kmalloc_array(nfds, sizeof(*fds), GFP_KERNEL);
		if (!fds)
			goto free;
		count = -EFAULT;
		if (copy_from_user(fds, ufds, nfds * sizeof(*fds)))
			goto free;
	}
	poll_initwait(table);
	count = do_poll(fds, nfds, table, timeout);
	poll_freewait(table);
	if (count >= 0)
		for (unsigned int i = 0; i < nfds; i++)
			if (put_user(fds[i].revents, &ufds[i].revents))
				count = -EFAULT;
free:
	kfree(fds);
	kfree(table);
	return count;
}

SYSCALL_DEFINE3(poll, struct pollfd __user *, ufds, unsigned int, nfds,
		int, timeout_msecs)
{
	struct timespec64 timeout = {
		.tv_sec		= timeout_msecs / 1000,
		.tv_nsec	= timeout_msecs % 1000 * 1000000L,
	};

	int ret;

	if (timeout_msecs < 0)
		return do_sys_poll(ufds, nfds, NULL);
	ret = do_sys_poll(ufds, nfds, &timeout);
	/* A restarted call would wait for all of the time again. */
	return ret == -ERESTARTNOHAND ? -EINTR : ret;
}

SYSCALL_DEFINE5(ppoll, struct pollfd __user *, ufds, unsigned int, nfds,
		struct __kernel_timespec __user *, tsp,
		const sigset_t __user *, sigmask, size_t, sigsetsize)
{
	struct timespec64 timeout;
	struct poll_deadline d;
	int ret;

	ret = poll_get_timespec(&timeout, tsp);
	if (!ret)
		ret = poll_set_sigmask(sigmask, sigsetsize);
	if (ret)
		return ret;
	poll_deadline_set(&d, tsp ? &timeout : NULL);
	ret = do_sys_poll(ufds, nfds, tsp ? &timeout : NULL);
	poll_restore_sigmask(ret == -ERESTARTNOHAND);
	return poll_deadline_put_timespec(&d, tsp, ret);
}
