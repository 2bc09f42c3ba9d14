/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers as files: reading waits, and tells how often the time has come. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#define TFD_TIMER_ABSTIME	1
#define TFD_TIMER_CANCEL_ON_SET	2	/* never happens: clocks are not set */
#define TFD_SETTIME_FLAGS	(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)

/* The lock protects all of it; the timer's function takes it, too. */
struct timerfd_ctx {
	struct hrtimer tmr;
	ktime_t tintv;			/* 0: it comes once */
	wait_queue_head_t wqh;
	spinlock_t lock;
	u64 ticks;			/* since the last read */
	bool expired;			/* and not started again since */
	clockid_t clockid;
};

static enum hrtimer_restart timerfd_tmrproc(struct hrtimer *timer)
{
	struct timerfd_ctx *ctx = container_of(timer, struct timerfd_ctx, tmr);
	unsigned long flags;

	spin_lock_irqsave(&ctx->lock, flags);
	ctx->expired = true;
	ctx->ticks++;
	spin_unlock_irqrestore(&ctx->lock, flags);
	wake_up_all(&ctx->wqh);
	return HRTIMER_NORESTART;
}

/*
 * With the lock held: goes on with a timer that has expired and comes again.
 * How often it would have come meanwhile.
 */
static u64 timerfd_restart(struct timerfd_ctx *ctx)
{
	u64 missed;

	if (!ctx->expired || !ctx->tintv)
		return 0;
	ctx->expired = false;
	missed = hrtimer_forward(&ctx->tmr, ktime_get(), ctx->tintv);
	hrtimer_start(&ctx->tmr, ctx->tmr.expires, HRTIMER_MODE_ABS);
	return missed - 1;
}

static ktime_t timerfd_get_remaining(struct timerfd_ctx *ctx)
{
	return hrtimer_is_queued(&ctx->tmr) ?
	       max_t(ktime_t, ctx->tmr.expires - ktime_get(), 1) : 0;
}

static int timerfd_release(struct inode *inode, struct file *file)
{
	struct timerfd_ctx *ctx = file->private_data;

	hrtimer_cancel(&ctx->tmr);
	kfree(ctx);
	return 0;
}

static __poll_t timerfd_poll(struct file *file, poll_table *wait)
{
	struct timerfd_ctx *ctx = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &ctx->wqh, wait);
	spin_lock_irq(&ctx->lock);
	if (ctx->ticks)
		events |= EPOLLIN;
	spin_unlock_irq(&ctx->lock);
	return events;
}

static u64 take_ticks(struct timerfd_ctx *ctx)
{
	u64 ticks;

	spin_lock_irq(&ctx->lock);
	ticks = ctx->ticks;
	if (ticks)
		ticks += timerfd_restart(ctx);
	ctx->ticks = 0;
	spin_unlock_irq(&ctx->lock);
	return ticks;
}

static ssize_t timerfd_read(struct file *file, char __user *buf, size_t count,
			    loff_t *ppos)
{
	struct timerfd_ctx *ctx = file->private_data;
	u64 ticks;

	if (count < sizeof(ticks))
		return -EINVAL;
	while (!(ticks = take_ticks(ctx))) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(ctx->wqh, READ_ONCE(ctx->ticks)))
			return -ERESTARTSYS;
	}
	return put_user(ticks, (u64 __user *)buf) ? -EFAULT : sizeof(ticks);
}

static const struct file_operations timerfd_fops = {
	.release	= timerfd_release,
	.poll		= timerfd_poll,
	.read		= timerfd_read,
	.llseek		= noop_llseek,
};

/* With a reference to the file. */
static struct timerfd_ctx *timerfd_fget(int fd, struct fd *f)
{
	*f = fdget(fd);
	if (!f->file)
		return ERR_PTR(-EBADF);
	if (f->file->f_op != &timerfd_fops) {
		fdput(*f);
		return ERR_PTR(-EINVAL);
	}
	return f->file->private_data;
}

SYSCALL_DEFINE2(timerfd_create, int, clockid, int, flags)
{
	struct timerfd_ctx *ctx;
	int fd;

	if (flags & ~(O_CLOEXEC | O_NONBLOCK) ||
	    (clockid != CLOCK_REALTIME && clockid != CLOCK_MONOTONIC &&
	     clockid != CLOCK_BOOTTIME))
		return -EINVAL;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return -ENOMEM;
	init_waitqueue_head(&ctx->wqh);
	spin_lock_init(&ctx->lock);
	ctx->clockid = clockid;
	hrtimer_init(&ctx->tmr, clockid, HRTIMER_MODE_ABS);
	ctx->tmr.function = timerfd_tmrproc;
	fd = anon_inode_getfd("[timerfd]", &timerfd_fops, ctx,
			      O_RDWR | flags);
	if (fd < 0)
		kfree(ctx);
	return fd;
}

/* What was set before, as of now; the timer does not run in between. */
static void timerfd_setup(struct timerfd_ctx *ctx, int flags, ktime_t value,
			  ktime_t interval, ktime_t *old_value,
			  ktime_t *old_interval)
{
	spin_lock_irq(&ctx->lock);
	*old_value = timerfd_get_remaining(ctx);
	/* Its function wants the lock that is held here. */
	while (hrtimer_try_to_cancel(&ctx->tmr) < 0) {
		spin_unlock_irq(&ctx->lock);
		cpu_relax();
		spin_lock_irq(&ctx->lock);
	}
	if (ctx->expired && ctx->tintv) {
		hrtimer_forward(&ctx->tmr, ktime_get(), ctx->tintv);
		*old_value = ctx->tmr.expires - ktime_get();
	}
	*old_interval = ctx->tintv;
	ctx->ticks = 0;
	ctx->expired = false;
	ctx->tintv = interval;
	if (value && flags & TFD_TIMER_ABSTIME)
		hrtimer_start(&ctx->tmr, clock_to_monotonic(ctx->clockid, value),
			      HRTIMER_MODE_ABS);
	else if (value)
		hrtimer_start(&ctx->tmr, value, HRTIMER_MODE_REL);
	spin_unlock_irq(&ctx->lock);
}

SYSCALL_DEFINE4(timerfd_settime, int, ufd, int, flags,
		const struct __kernel_itimerspec __user *, utmr,
		struct __kernel_itimerspec __user *, otmr)
{
	ktime_t value, interval, old_value, old_interval;
	struct timerfd_ctx *ctx;
	struct fd f;
	int err;

	err = get_itimerspec(&value, &interval, utmr);
	if (err)
		return err;
	if (flags & ~TFD_SETTIME_FLAGS)
		return -EINVAL;
	ctx = timerfd_fget(ufd, &f);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	timerfd_setup(ctx, flags, value, interval, &old_value, &old_interval);
	fdput(f);
	return otmr ? put_itimerspec(old_value, old_interval, otmr) : 0;
}

SYSCALL_DEFINE2(timerfd_gettime, int, ufd,
		struct __kernel_itimerspec __user *, otmr)
{
	struct timerfd_ctx *ctx;
	ktime_t value, interval;
	struct fd f;

	ctx = timerfd_fget(ufd, &f);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	spin_lock_irq(&ctx->lock);
	if (ctx->expired && ctx->tintv)
		ctx->ticks += timerfd_restart(ctx);
	value = timerfd_get_remaining(ctx);
	interval = ctx->tintv;
	spin_unlock_irq(&ctx->lock);
	fdput(f);
	return put_itimerspec(value, interval, otmr);
}
