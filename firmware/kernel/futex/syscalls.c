/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on futexes; what a dying thread's locks are left as. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include "futex.h"

#define ROBUST_LIST_LIMIT	2048

long do_futex(u32 __user *uaddr, int op, u32 val, const ktime_t *timeout,
	      u32 __user *uaddr2, u32 val2, u32 val3)
{
	bool shared = !(op & FUTEX_PRIVATE_FLAG);
	int cmd = op & FUTEX_CMD_MASK;

	if (op & FUTEX_CLOCK_REALTIME && cmd != FUTEX_WAIT_BITSET)
		return -ENOSYS;
	switch (cmd) {
	case FUTEX_WAIT:
		return futex_wait(uaddr, shared, val, timeout,
				  FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAIT_BITSET:
		return futex_wait(uaddr, shared, val, timeout, val3);
	case FUTEX_WAKE:
		return futex_wake(uaddr, shared, val, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return futex_wake(uaddr, shared, val, val3);
	case FUTEX_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, val, val2, NULL);
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(uaddr, shared, uaddr2, val, val2, &val3);
	case FUTEX_WAKE_OP:
		return futex_wake_op(uaddr, shared, uaddr2, val, val2, val3);
	default:
		return -ENOSYS;
	}
}

/* Waits take a time: FUTEX_WAIT from now on, FUTEX_WAIT_BITSET on a clock. */
static int futex_init_timeout(int op, const struct __kernel_timespec *kts,
			      ktime_t *t)
{
	struct timespec64 ts = {
		.tv_sec = kts->tv_sec, .tv_nsec = kts->tv_nsec
	};

	if (!timespec64_valid(&ts))
		return -EINVAL;
	*t = timespec64_to_ktime(ts);
	if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
		*t = ktime_add_safe(ktime_get(), *t);
	else if (op & FUTEX_CLOCK_REALTIME)
		*t -= ktime_get_real() - ktime_get();
	return 0;
}

SYSCALL_DEFINE6(futex, u32 __user *, uaddr, int, op, u32, val,
		const struct __kernel_timespec __user *, utime,
		u32 __user *, uaddr2, u32, val3)
{
	int cmd = op & FUTEX_CMD_MASK, err;
	struct __kernel_timespec ts;
	ktime_t t;

	if (utime && (cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET)) {
		if (copy_from_user(&ts, utime, sizeof(ts)))
			return -EFAULT;
		err = futex_init_timeout(op, &ts, &t);
		if (err)
			return err;
		return do_futex(uaddr, op, val, &t, uaddr2, 0, val3);
	}
	/* For others it is a number. */
	return do_futex(uaddr, op, val, NULL, uaddr2, (unsigned long)utime,
			val3);
}

SYSCALL_DEFINE2(set_robust_list, struct robust_list_head __user *, head,
		size_t, len)
{
	if (len != sizeof(*head))
		return -EINVAL;
	current->robust_list = head;
	return 0;
}

SYSCALL_DEFINE3(get_robust_list, int, pid,
		struct robust_list_head __user *__user *, head_ptr,
		size_t __user *, len_ptr)
{
	struct robust_list_head __user *head = NULL;
	struct task_struct *p;
	int err = -ESRCH;

	spin_lock_irq(&tasklist_lock);
	p = pid ? find_task_by_vpid(pid) : current;
	if (p) {
		head = p->robust_list;
		err = 0;
	}
	spin_unlock_irq(&tasklist_lock);
	if (err)
		return err;
	if (put_user(sizeof(*head), len_ptr))
		return -EFAULT;
	return put_user(head, head_ptr);
}

/* A lock whose owner dies says so, and the next who wants it is woken. */
static int handle_futex_death(u32 __user *uaddr, struct task_struct *curr,
			      bool pending_op)
{
	u32 uval, seen;

	if ((unsigned long)uaddr % sizeof(*uaddr))
		return -1;
	if (get_user(uval, uaddr))
		return -1;
	if (pending_op && !uval) {
		futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
		return 0;
	}
	while ((uval & FUTEX_TID_MASK) == task_pid_nr(curr)) {
		if (futex_cmpxchg_value(&seen, uaddr, uval,
					(uval & FUTEX_WAITERS) |
					FUTEX_OWNER_DIED))
			return -1;
		if (seen == uval) {
			if (uval & FUTEX_WAITERS)
				futex_wake(uaddr, true, 1,
					   FUTEX_BITSET_MATCH_ANY);
			break;
		}
		uval = seen;
	}
	return 0;
}

/* The lowest bit of an address tells a kind of lock that there is not here. */
static struct robust_list __user *list_entry_of(struct robust_list __user *e)
{
	return (struct robust_list __user *)((unsigned long)e & ~1UL);
}

/* The list is the program's: it may be anything, and have no end. */
void exit_robust_list(struct task_struct *curr)
{
	struct robust_list_head __user *head = curr->robust_list;
	struct robust_list __user *entry, *next, *pending;
	long offset;

	curr->robust_list = NULL;
	if (!head || !curr->mm || get_user(entry, &head->list.next) ||
	    get_user(offset, &head->futex_offset) ||
	    get_user(pending, &head->list_op_pending))
		return;
	entry = list_entry_of(entry);
	pending = list_entry_of(pending);
	for (int limit = ROBUST_LIST_LIMIT; limit && entry != &head->list;
	     limit--) {
		bool last = get_user(next, &entry->next);

		if (entry != pending &&
		    handle_futex_death((u32 __user *)((char __user *)entry +
						      offset), curr, false))
			return;
		if (last)
			break;
		entry = list_entry_of(next);
	}
	if (pending)
		handle_futex_death((u32 __user *)((char __user *)pending +
						  offset), curr, true);
}
