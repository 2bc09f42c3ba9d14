/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping on futexes and waking those who do. */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/wake_q.h>
#include <linux/uaccess.h>
#include "futex.h"

void futex_wake_mark(struct wake_q_head *wake_q, struct futex_q *q)
{
	struct task_struct *p = get_task_struct(q->task);

	list_del_init(&q->list);
	note_release(&q->woken);
	/* From here on the sleeper may be gone, and its q with it. */
	smp_store_release(&q->bucket, NULL);
	wake_q_add_safe(wake_q, p);
}

/* With the bucket locked. Returns how many are to be woken. */
static int wake_matching(struct wake_q_head *wake_q,
			 struct futex_hash_bucket *hb,
			 const struct futex_key *key, int nr_wake, u32 bitset)
{
	struct futex_q *q, *next;
	int woken = 0;

	list_for_each_entry_safe(q, next, &hb->chain, list) {
		if (woken >= nr_wake)
			break;
		if (!futex_match(&q->key, key) || !(q->bitset & bitset))
			continue;
		futex_wake_mark(wake_q, q);
		woken++;
	}
	return woken;
}

/*
 * Called with no lock held; may sleep for the page, not with the bucket locked.
 */
int futex_wake(u32 __user *uaddr, bool shared, int nr_wake, u32 bitset)
{
	struct futex_hash_bucket *hb;
	struct futex_key key;
	DEFINE_WAKE_Q(wake_q);
	int ret;

	if (!bitset)
		return -EINVAL;
	ret = get_futex_key(uaddr, shared, &key);
	if (ret)
		return ret;
	hb = futex_hash(&key);
	spin_lock(&hb->lock);
	/* Linux wakes one where none is asked for. */
	ret = wake_matching(&wake_q, hb, &key, max(nr_wake, 1), bitset);
	spin_unlock(&hb->lock);
	wake_up_q(&wake_q);
	put_futex_key(&key);
	return ret;
}

/*
 * True: it was still queued, nobody had woken it. Takes the bucket's lock; @q
 * is on no chain afterwards.
 */
static bool futex_unqueue(struct futex_q *q)
{
	struct futex_hash_bucket *hb;

	while ((hb = smp_load_acquire(&q->bucket))) {
		spin_lock(&hb->lock);
		if (hb == q->bucket) {
			list_del_init(&q->list);
			q->bucket = NULL;
			spin_unlock(&hb->lock);
			return true;
		}
		spin_unlock(&hb->lock);	/* it was requeued */
	}
	stall_until_release(&q->woken);
	return false;
}

/*
 * 0: queued, in TASK_INTERRUPTIBLE and without a lock, as the word is still
 * what the caller has seen; else not queued. May sleep.
 */
static int futex_wait_setup(u32 __user *uaddr, u32 val, struct futex_q *q)
{
	struct futex_hash_bucket *hb = futex_hash(&q->key);
	u32 uval;

	for (;;) {
		spin_lock(&hb->lock);
		/* With a lock held, a page that is not there is no excuse. */
		if (!get_user(uval, uaddr))
			break;
		spin_unlock(&hb->lock);
		if (get_user(uval, uaddr))
			return -EFAULT;
	}
	if (uval != val) {
		spin_unlock(&hb->lock);
		return -EWOULDBLOCK;
	}
	set_current_state(TASK_INTERRUPTIBLE);
	q->bucket = hb;
	list_add_tail(&q->list, &hb->chain);
	spin_unlock(&hb->lock);
	return 0;
}

static long futex_wait_restart(struct restart_block *restart)
{
	ktime_t time = restart->futex.time;

	restart->fn = do_no_restart_syscall;
	return futex_wait(restart->futex.uaddr, restart->futex.flags,
			  restart->futex.val, &time, restart->futex.bitset);
}

static int interrupted(u32 __user *uaddr, bool shared, u32 val,
		       const ktime_t *timeout, u32 bitset)
{
	struct restart_block *restart = &current->restart_block;

	if (!timeout)
		return -ERESTARTSYS;
	restart->futex.uaddr = uaddr;
	restart->futex.val = val;
	restart->futex.time = *timeout;
	restart->futex.bitset = bitset;
	restart->futex.flags = shared;
	return set_restart_fn(restart, futex_wait_restart);
}

/* Called with no lock held; sleeps. 0: somebody has woken it. */
int futex_wait(u32 __user *uaddr, bool shared, u32 val,
	       const ktime_t *timeout, u32 bitset)
{
	ktime_t expires = timeout ? *timeout : KTIME_MAX;
	struct futex_q q = { .task = current, .bitset = bitset };
	int ret, slept;

	if (!bitset)
		return -EINVAL;
	ret = get_futex_key(uaddr, shared, &q.key);
	if (ret)
		return ret;
	do {
		ret = futex_wait_setup(uaddr, val, &q);
		if (ret)
			break;
		slept = schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
		if (!futex_unqueue(&q)) {
			ret = 0;
			break;
		}
		if (!slept)
			ret = -ETIMEDOUT;
		else if (signal_pending(current))
			ret = interrupted(uaddr, shared, val, timeout, bitset);
	} while (!ret);
	put_futex_key(&q.key);
	return ret;
}

#define FUTEX_OP_OPARG_SHIFT	8

static u32 apply_op(int op, u32 oparg, u32 old)
{
	switch (op) {
	case 0:
		return oparg;
	case 1:
		return old + oparg;
	case 2:
		return old | oparg;
	case 3:
		return old & ~oparg;
	default:
		return old ^ oparg;
	}
}

static bool compare_op(int cmp, int old, int arg)
{
	switch (cmp) {
	case 0:
		return old == arg;
	case 1:
		return old != arg;
	case 2:
		return old < arg;
	case 3:
		return old <= arg;
	case 4:
		return old > arg;
	default:
		return old >= arg;
	}
}

/* Changes the second word, and says by what it was whether to wake there. */
static int futex_atomic_op(unsigned int encoded, u32 __user *uaddr, bool *wake)
{
	int op = encoded >> 28 & 7, cmp = encoded >> 24 & 15;
	int oparg = (int)(encoded << 8) >> 20, cmparg = (int)(encoded << 20) >> 20;
	u32 old, seen;
	int err;

	if (encoded >> 28 & FUTEX_OP_OPARG_SHIFT)
		oparg = 1 << (oparg & 31);
	if (op > 4 || cmp > 5)
		return -ENOSYS;
	if (get_user(old, uaddr))
		return -EFAULT;
	for (;;) {
		err = futex_cmpxchg_value(&seen, uaddr, old,
					  apply_op(op, oparg, old));
		if (err)
			return err;
		if (seen == old)
			break;
		old = seen;
	}
	*wake = compare_op(cmp, old, cmparg);
	return 0;
}

int futex_wake_op(u32 __user *uaddr1, bool shared, u32 __user *uaddr2,
		  int nr_wake, int nr_wake2, int op)
{
	struct futex_key key;
	bool wake2 = false;
	int ret, more;

	ret = get_futex_key(uaddr2, shared, &key);
	if (ret)
		return ret;
	put_futex_key(&key);
	ret = futex_atomic_op(op, uaddr2, &wake2);
	if (ret)
		return ret;
	ret = futex_wake(uaddr1, shared, nr_wake, FUTEX_BITSET_MATCH_ANY);
	if (ret < 0 || !wake2)
		return ret;
	more = futex_wake(uaddr2, shared, nr_wake2, FUTEX_BITSET_MATCH_ANY);
	return more < 0 ? more : ret + more;
}

/*
 * Moves a sleeper; both buckets are locked. Within one it stays where it is, or
 * whoever goes along the chain would never be done.
 */
static void requeue_futex(struct futex_q *q, struct futex_hash_bucket *hb,
			  const struct futex_key *key)
{
	if (q->bucket != hb)
		list_move_tail(&q->list, &hb->chain);
	get_futex_key_ref(key);
	put_futex_key(&q->key);
	q->key = *key;
	WRITE_ONCE(q->bucket, hb);
}

/*
 * Wakes some, and has others wait for another word. Called with no lock held;
 * both buckets are locked meanwhile, the lower address first.
 */
int futex_requeue(u32 __user *uaddr1, bool shared, u32 __user *uaddr2,
		  int nr_wake, int nr_requeue, const u32 *cmpval)
{
	struct futex_hash_bucket *hb1, *hb2;
	struct futex_key key1, key2;
	struct futex_q *q, *next;
	DEFINE_WAKE_Q(wake_q);
	int ret, moved = 0;
	u32 curval;

	if (nr_wake < 0 || nr_requeue < 0)
		return -EINVAL;
	ret = get_futex_key(uaddr1, shared, &key1);
	if (ret)
		return ret;
	ret = get_futex_key(uaddr2, shared, &key2);
	if (ret)
		goto put_key1;
	hb1 = futex_hash(&key1);
	hb2 = futex_hash(&key2);
retry:
	double_lock_hb(hb1, hb2);
	if (cmpval) {
		if (get_user(curval, uaddr1)) {
			double_unlock_hb(hb1, hb2);
			if (!get_user(curval, uaddr1))
				goto retry;
			ret = -EFAULT;
			goto put_keys;
		}
		if (curval != *cmpval) {
			ret = -EAGAIN;
			goto unlock;
		}
	}
	ret = nr_wake ? wake_matching(&wake_q, hb1, &key1, nr_wake,
				      FUTEX_BITSET_MATCH_ANY) : 0;
	list_for_each_entry_safe(q, next, &hb1->chain, list) {
		if (moved >= nr_requeue)
			break;
		if (!futex_match(&q->key, &key1))
			continue;
		requeue_futex(q, hb2, &key2);
		moved++;
	}
	ret += moved;
unlock:
	double_unlock_hb(hb1, hb2);
	wake_up_q(&wake_q);
put_keys:
	put_futex_key(&key2);
put_key1:
	put_futex_key(&key1);
	return ret;
}
