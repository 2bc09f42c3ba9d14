/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that are pending: how they are queued, found and taken. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "signal.h"

/* Queued siginfos of everybody; what comes after goes without one. */
#define MAX_SIGQUEUES	8192

static struct kmem_cache *sigqueue_cachep;
static atomic_t sigqueues;

void __init signals_init(void)
{
	BUILD_BUG_ON(sizeof(siginfo_t) != SI_MAX_SIZE);
	sigqueue_cachep = KMEM_CACHE(sigqueue, SLAB_PANIC);
}

/* Whether the thread has something to act on. */
static bool recalc_sigpending_tsk(struct task_struct *t)
{
	sigset_t set = t->pending.signal | t->signal->shared_pending.signal;

	if (t->jobctl & JOBCTL_PENDING_MASK || set & ~t->blocked) {
		set_bit(TIF_SIGPENDING, &t->thread_info_flags);
		return true;
	}
	return false;
}

void recalc_sigpending_and_wake(struct task_struct *t)
{
	if (recalc_sigpending_tsk(t))
		signal_wake_up(t, 0);
}

void recalc_sigpending(void)
{
	if (!recalc_sigpending_tsk(current))
		clear_bit(TIF_SIGPENDING, &current->thread_info_flags);
}

/*
 * A sleeper wakes to see it, a running task is sent into the kernel. With
 * siglock held.
 */
static void signal_wake_up_state(struct task_struct *t, unsigned int state)
{
	set_bit(TIF_SIGPENDING, &t->thread_info_flags);
	if (!wake_up_state(t, state | TASK_INTERRUPTIBLE))
		kick_process(t);
}

void signal_wake_up(struct task_struct *t, int fatal)
{
	if (fatal)
		t->jobctl &= ~JOBCTL_STOPPED;
	signal_wake_up_state(t, fatal ? TASK_WAKEKILL : 0);
}

/* The program's own faults come before what others sent. */
int next_signal(struct sigpending *pending, sigset_t mask)
{
	sigset_t x = pending->signal & ~mask;

	if (!x)
		return 0;
	if (x & SYNCHRONOUS_MASK)
		x &= SYNCHRONOUS_MASK;
	return __ffs(x) + 1;
}

struct sigqueue *__sigqueue_alloc(int sig, bool override_rlimit)
{
	struct sigqueue *q = NULL;

	if (atomic_add_return(1, &sigqueues) <= MAX_SIGQUEUES ||
	    override_rlimit)
		q = kmem_cache_alloc(sigqueue_cachep, GFP_ATOMIC);
	if (q)
		q->timer = NULL;
	else
		atomic_dec(&sigqueues);
	return q;
}

static void __sigqueue_free(struct sigqueue *q)
{
	if (q->timer)
		return;
	atomic_dec(&sigqueues);
	kmem_cache_free(sigqueue_cachep, q);
}

struct sigqueue *sigqueue_alloc(struct k_itimer *timer)
{
	struct sigqueue *q = __sigqueue_alloc(0, false);

	if (q) {
		INIT_LIST_HEAD(&q->list);
		clear_siginfo(&q->info);
		q->timer = timer;
	}
	return q;
}

/* One that is queued goes when it is taken. */
void sigqueue_free(struct sigqueue *q)
{
	spin_lock_irq(&current->sighand->siglock);
	q->timer = NULL;
	if (list_empty(&q->list))
		__sigqueue_free(q);
	spin_unlock_irq(&current->sighand->siglock);
}

void flush_sigqueue(struct sigpending *queue)
{
	struct sigqueue *q, *next;

	queue->signal = 0;
	list_for_each_entry_safe(q, next, &queue->list, list) {
		list_del_init(&q->list);
		__sigqueue_free(q);
	}
}

/* Takes signals off a queue, unseen. */
void flush_sigqueue_mask(sigset_t mask, struct sigpending *s)
{
	struct sigqueue *q, *next;

	if (!(s->signal & mask))
		return;
	s->signal &= ~mask;
	list_for_each_entry_safe(q, next, &s->list, list) {
		if (mask & sigmask(q->info.si_signo)) {
			list_del_init(&q->list);
			__sigqueue_free(q);
		}
	}
}

/*
 * The first of this number; if there is another, the bit stays. With siglock
 * held.
 */
static void collect_signal(int sig, struct sigpending *list,
			   kernel_siginfo_t *info)
{
	struct sigqueue *q, *first = NULL;
	bool more = false;

	list_for_each_entry(q, &list->list, list) {
		if (q->info.si_signo != sig)
			continue;
		if (first) {
			more = true;
			break;
		}
		first = q;
	}
	if (!more)
		list->signal &= ~sigmask(sig);
	if (first) {
		list_del_init(&first->list);
		*info = first->info;
		if (first->timer)
			posixtimer_rearm(first->timer, info);
		__sigqueue_free(first);
	} else {
		/* There was no memory for more than its number. */
		clear_siginfo(info);
		info->si_signo = sig;
		info->si_code = SI_USER;
	}
}

static int __dequeue_signal(struct sigpending *pending, sigset_t mask,
			    kernel_siginfo_t *info)
{
	int sig = next_signal(pending, mask);

	if (sig)
		collect_signal(sig, pending, info);
	return sig;
}

/*
 * With siglock held; @tsk is the running task. 0: there is none that @mask does
 * not block.
 */
int dequeue_signal(struct task_struct *tsk, const sigset_t *mask,
		   kernel_siginfo_t *info, enum pid_type *type)
{
	int signr;

	*type = PIDTYPE_PID;
	signr = __dequeue_signal(&tsk->pending, *mask, info);
	if (!signr) {
		*type = PIDTYPE_TGID;
		signr = __dequeue_signal(&tsk->signal->shared_pending, *mask,
					 info);
		if (unlikely(signr == SIGALRM))
			itimer_rearm(tsk->signal);
	}
	recalc_sigpending();
	/* Unless a SIGCONT comes before the stop does. */
	if (signr && sig_kernel_stop(signr))
		current->jobctl |= JOBCTL_STOP_DEQUEUED;
	return signr;
}

/* Of faults, the one that came first. With siglock held. */
int dequeue_synchronous_signal(kernel_siginfo_t *info)
{
	struct sigpending *pending = &current->pending;
	struct sigqueue *q;
	int sig;

	if (!(pending->signal & ~current->blocked & SYNCHRONOUS_MASK))
		return 0;
	list_for_each_entry(q, &pending->list, list) {
		sig = q->info.si_signo;
		if (q->info.si_code > 0 && siginmask(sig, SYNCHRONOUS_MASK) &&
		    !(current->blocked & sigmask(sig))) {
			collect_signal(sig, pending, info);
			recalc_sigpending();
			return sig;
		}
	}
	return 0;
}

/* What a task is asked to stop for; @mask holds signal and bits. */
bool task_set_jobctl_pending(struct task_struct *task, unsigned long mask)
{
	if (fatal_signal_pending(task) || task->flags & PF_EXITING)
		return false;
	if (mask & JOBCTL_STOP_SIGMASK)
		task->jobctl &= ~JOBCTL_STOP_SIGMASK;
	task->jobctl |= mask;
	return true;
}

void task_clear_jobctl_pending(struct task_struct *task, unsigned long mask)
{
	if (mask & JOBCTL_STOP_PENDING)
		mask |= JOBCTL_STOP_CONSUME | JOBCTL_STOP_DEQUEUED;
	task->jobctl &= ~mask;
}

/* The others are to end; returns how many there are. With siglock held. */
int zap_other_threads(struct task_struct *p)
{
	struct task_struct *t;
	int count = 0;

	p->signal->group_stop_count = 0;
	for_each_thread(p, t) {
		if (t == p)
			continue;
		task_clear_jobctl_pending(t, JOBCTL_PENDING_MASK);
		count++;
		if (t->exit_state)
			continue;
		t->pending.signal |= sigmask(SIGKILL);
		signal_wake_up(t, 1);
	}
	return count;
}

/*
 * Returns with siglock held and interrupts off; NULL, and nothing held: the
 * task has been released.
 */
struct sighand_struct *lock_task_sighand(struct task_struct *p,
					 unsigned long *flags)
{
	struct sighand_struct *sighand;

	for (;;) {
		sighand = READ_ONCE(p->sighand);
		if (!sighand)
			return NULL;
		spin_lock_irqsave(&sighand->siglock, *flags);
		if (likely(sighand == READ_ONCE(p->sighand)))
			return sighand;
		spin_unlock_irqrestore(&sighand->siglock, *flags);
	}
}

void ignore_signals(struct task_struct *t)
{
	for (int i = 0; i < _NSIG; i++)
		t->sighand->action[i].sa.sa_handler = SIG_IGN;
	flush_sigqueue(&t->pending);
}

/* A new program: what was ignored stays so. */
void flush_signal_handlers(struct task_struct *t, int force_default)
{
	for (int i = 0; i < _NSIG; i++) {
		struct sigaction *sa = &t->sighand->action[i].sa;

		if (force_default || sa->sa_handler != SIG_IGN)
			sa->sa_handler = SIG_DFL;
		sa->sa_flags = 0;
#ifdef __ARCH_HAS_SA_RESTORER
		sa->sa_restorer = 0;
#endif
		sa->sa_mask = 0;
	}
}
