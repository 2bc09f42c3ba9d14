/* SPDX-License-Identifier: GPL-2.0-only */
/* select and pselect6: the same as poll, with sets of descriptors. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "timeout.h"

#define POLLIN_SET	(EPOLLRDNORM | EPOLLRDBAND | EPOLLIN | EPOLLHUP | EPOLLERR)
#define POLLOUT_SET	(EPOLLWRBAND | EPOLLWRNORM | EPOLLOUT | EPOLLERR)
#define POLLEX_SET	EPOLLPRI

/* The longest sets there can be; a process's are as long as it asks for. */
#define FD_WORDS	BITS_TO_LONGS(NR_OPEN_MAX)

enum { IN, OUT, EX, NR_SETS };

struct fd_sets {
	unsigned long in[NR_SETS][FD_WORDS];
	unsigned long res[NR_SETS][FD_WORDS];
};

static const __poll_t set_mask[NR_SETS] = { POLLIN_SET, POLLOUT_SET, POLLEX_SET };

static inline bool wanted(const struct fd_sets *fds, unsigned int fd)
{
	return test_bit(fd, fds->in[IN]) || test_bit(fd, fds->in[OUT]) ||
	       test_bit(fd, fds->in[EX]);
}

/* Fills res; how many bits it has, or -EBADF. */
static int select_all(struct fd_sets *fds, int n, struct poll_wqueues *pwq)
{
	int count = 0;

	memset(fds->res, 0, sizeof(fds->res));
	for (int fd = 0; fd < n; fd++) {
		__poll_t mask;
		struct fd f;

		if (!wanted(fds, fd))
			continue;
		f = fdget(fd);
		if (!f.file)
			return -EBADF;
		pwq->pt._key = POLLEX_SET | EPOLLERR | EPOLLHUP;
		if (test_bit(fd, fds->in[IN]))
			pwq->pt._key |= POLLIN_SET;
		if (test_bit(fd, fds->in[OUT]))
			pwq->pt._key |= POLLOUT_SET;
		mask = vfs_poll(f.file, &pwq->pt);
		fdput(f);
		for (int set = 0; set < NR_SETS; set++) {
			if (test_bit(fd, fds->in[set]) &&
			    (mask & set_mask[set])) {
				__set_bit(fd, fds->res[set]);
				count++;
				pwq->pt._qproc = NULL;
			}
		}
	}
	pwq->pt._qproc = NULL;
	return count;
}

static int do_select(int n, struct fd_sets *fds, const struct timespec64 *timeout)
{
	struct poll_wqueues *pwq = kmalloc(sizeof(*pwq), GFP_KERNEL);
	ktime_t end;
	bool has_end = poll_end_time(&end, timeout), timed_out = false;
	int count;

	if (!pwq)
		return -ENOMEM;
	poll_initwait(pwq);
	if (timeout && !timeout->tv_sec && !timeout->tv_nsec) {
		pwq->pt._qproc = NULL;
		timed_out = true;
	}
	for (;;) {
		count = select_all(fds, n, pwq);
		if (count || timed_out)
			break;
		count = pwq->error;
		if (!count && signal_pending(current))
			count = -ERESTARTNOHAND;
		if (count)
			break;
		if (!poll_schedule_timeout(pwq, TASK_INTERRUPTIBLE,
					   has_end ? &end : NULL))
			timed_out = true;
	}
	poll_freewait(pwq);
	kfree(pwq);
	return count;
}

static int get_sets(struct fd_sets *fds, fd_set __user *const *sets,
		    size_t size)
{
	for (int i = 0; i < NR_SETS; i++)
		if (sets[i] && copy_from_user(fds->in[i], sets[i], size))
			return -EFAULT;
	return 0;
}

static int put_sets(const struct fd_sets *fds,
		    fd_set __user *const *sets, size_t size)
{
	for (int i = 0; i < NR_SETS; i++)
		if (sets[i] && copy_to_user(sets[i], fds->res[i], size))
			return -EFAULT;
	return 0;
}

static int core_sys_select(int n, fd_set __user *const *sets,
			   const struct timespec64 *timeout)
{
	struct fd_sets *fds;
	size_t size;
	int ret;

	if (n < 0)
		return -EINVAL;
	n = min_t(int, n, NR_OPEN_MAX);
	size = BITS_TO_LONGS(n) * sizeof(long);
	fds = kzalloc(sizeof(*fds), GFP_KERNEL);
	if (!fds)
		return -ENOMEM;
	ret = get_sets(fds, sets, size);
	if (!ret)
		ret = do_select(n, fds, timeout);
	if (ret >= 0 && put_sets(fds, sets, size))
		ret = -EFAULT;
	kfree(fds);
	return ret;
}

SYSCALL_DEFINE5(select, int, n, fd_set __user *, inp,
		fd_set __user *, outp, fd_set __user *, exp,
		struct __kernel_old_timeval __user *, tvp)
{
	fd_set __user *const sets[NR_SETS] = { inp, outp, exp };
	struct timespec64 timeout;
	struct __kernel_old_timeval tv;
	struct poll_deadline d;
	int ret;

	if (!tvp)
		return core_sys_select(n, sets, NULL);
	if (copy_from_user(&tv, tvp, sizeof(tv)))
		return -EFAULT;
	if (tv.tv_sec < 0 || tv.tv_usec < 0)
		return -EINVAL;
	timeout.tv_sec = tv.tv_sec + tv.tv_usec / USEC_PER_SEC;
	timeout.tv_nsec = tv.tv_usec % USEC_PER_SEC * NSEC_PER_USEC;
	poll_deadline_set(&d, &timeout);
	ret = core_sys_select(n, sets, &timeout);
	return poll_deadline_put_timeval(&d, tvp, ret);
}

/* The sixth argument: a signal mask, and its size. */
struct sigset_argpack {
	const sigset_t __user *p;
	size_t size;
};

SYSCALL_DEFINE6(pselect6, int, n, fd_set __user *, inp,
		fd_set __user *, outp, fd_set __user *, exp,
		struct __kernel_timespec __user *, tsp, void __user *, sig)
{
	fd_set __user *const sets[NR_SETS] = { inp, outp, exp };
	struct sigset_argpack x = { NULL, 0 };
	struct timespec64 timeout;
	struct poll_deadline d;
	int ret;

	if (sig && copy_from_user(&x, sig, sizeof(x)))
		return -EFAULT;
	ret = poll_get_timespec(&timeout, tsp);
	if (ret)
		return ret;
	ret = poll_set_sigmask(x.p, x.size);
	if (ret)
		return ret;
	poll_deadline_set(&d, tsp ? &timeout : NULL);
	ret = core_sys_select(n, sets, tsp ? &timeout : NULL);
	poll_restore_sigmask(ret == -ERESTARTNOHAND);
	return poll_deadline_put_timespec(&d, tsp, ret);
}
