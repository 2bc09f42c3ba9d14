/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping until a bit somewhere in memory is clear. */
#ifndef _LINUX_WAIT_BIT_H
#define _LINUX_WAIT_BIT_H

#include <linux/bitops.h>
#include <linux/wait.h>

/* Waiters of all words share some queues. */
struct wait_bit_queue {
	wait_queue_head_t wq;
	u64 release;		/* when a bit was last cleared, on any CPU */
};

struct wait_bit_queue *bit_waitqueue(const unsigned long *word);
/* After a bit was found clear, or set by us: not earlier than its clearing. */
void bit_stall_until_release(const unsigned long *word);
void clear_and_wake_up_bit(int bit, unsigned long *word);

void __wait_on_bit_io(unsigned long *word, int bit);
void __wait_on_bit_lock_io(unsigned long *word, int bit);

static inline bool trylock_on_bit(unsigned long *word, int bit)
{
	if (test_and_set_bit(bit, word))
		return false;
	bit_stall_until_release(word);
	return true;
}

/* schedule() for what waits for a disk: what it holds back goes first. */
void io_schedule(void);

#endif
