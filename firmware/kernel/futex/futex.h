/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files on futexes share. */
#ifndef _KERNEL_FUTEX_FUTEX_H
#define _KERNEL_FUTEX_FUTEX_H

#include <linux/futex.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct mm_struct;
struct page;
struct wake_q_head;

/*
 * What a word is known by: a place in an address space, or in a page that
 * several have. The page is then referenced.
 */
struct futex_key {
	unsigned long word;		/* address; or a page's, physical */
	void *owner;			/* mm_struct; NULL: a page's */
	unsigned int offset;
};

struct futex_hash_bucket {
	spinlock_t lock;
	struct list_head chain;
};

/* A sleeper; on its bucket's chain until it is woken. */
struct futex_q {
	struct list_head list;
	struct task_struct *task;
	struct futex_key key;
	struct futex_hash_bucket *bucket;	/* NULL: woken ... */
	struct lock_release woken;		/* ... then */
	u32 bitset;
};

int get_futex_key(u32 __user *uaddr, bool shared, struct futex_key *key);
void get_futex_key_ref(const struct futex_key *key);
void put_futex_key(struct futex_key *key);
bool futex_match(const struct futex_key *a, const struct futex_key *b);
struct futex_hash_bucket *futex_hash(const struct futex_key *key);
void double_lock_hb(struct futex_hash_bucket *a, struct futex_hash_bucket *b);
void double_unlock_hb(struct futex_hash_bucket *a,
		      struct futex_hash_bucket *b);

int futex_wait(u32 __user *uaddr, bool shared, u32 val,
	       const ktime_t *timeout, u32 bitset);
int futex_wake(u32 __user *uaddr, bool shared, int nr_wake, u32 bitset);
int futex_wake_op(u32 __user *uaddr1, bool shared, u32 __user *uaddr2,
		  int nr_wake, int nr_wake2, int op);
int futex_requeue(u32 __user *uaddr1, bool shared, u32 __user *uaddr2,
		  int nr_wake, int nr_requeue, const u32 *cmpval);

/* With the bucket locked. The sleeper is gone from its chain afterwards. */
void futex_wake_mark(struct wake_q_head *wake_q, struct futex_q *q);

/* Reads, or atomically replaces, a word that other threads change. */
int futex_cmpxchg_value(u32 *curval, u32 __user *uaddr, u32 old, u32 new);

#endif
