/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping until a bit is clear, and locks that are one bit. */
#include <linux/blkdev.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>
#include <emu/hostcall.h>
#include <asm/processor.h>

#define WAIT_TABLE_BITS	6
#define WAIT_TABLE_SIZE	(1 << WAIT_TABLE_BITS)

static struct wait_bit_queue bit_wait_table[WAIT_TABLE_SIZE];

void __sched io_schedule(void)
{
	bool old_iowait = current->in_iowait;

	current->in_iowait = true;
	blk_flush_plug(current->plug, true);
	schedule();
	current->in_iowait = old_iowait;
}

notrace struct wait_bit_queue *bit_waitqueue(const unsigned long *word)
{
	u64 hash = (unsigned long)word * 0x61c8864680b583ebULL;

	return &bit_wait_table[hash >> (64 - WAIT_TABLE_BITS)];
}

notrace void bit_stall_until_release(const unsigned long *word)
{
	u64 release = READ_ONCE(bit_waitqueue(word)->release);

	if (release > get_cycles())
		hostcall1(HC_STALL_UNTIL, release);
}

void clear_and_wake_up_bit(int bit, unsigned long *word)
{
	struct wait_bit_queue *queue = bit_waitqueue(word);
	u64 now = get_cycles();

	if (now > READ_ONCE(queue->release))
		WRITE_ONCE(queue->release, now);
	clear_bit(bit, word);
	if (waitqueue_active(&queue->wq))
		wake_up_all(&queue->wq);
}

static void __sched bit_wait_io(void)
{
	io_schedule();
}

void __sched __wait_on_bit_io(unsigned long *word, int bit)
{
	struct wait_bit_queue *queue = bit_waitqueue(word);
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait_event(&queue->wq, &wait, TASK_UNINTERRUPTIBLE);
		if (!test_bit(bit, word))
			break;
		bit_wait_io();
	}
	finish_wait(&queue->wq, &wait);
	bit_stall_until_release(word);
}

void __sched __wait_on_bit_lock_io(unsigned long *word, int bit)
{
	struct wait_bit_queue *queue = bit_waitqueue(word);
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait_event(&queue->wq, &wait, TASK_UNINTERRUPTIBLE);
		if (trylock_on_bit(word, bit))
			break;
		bit_wait_io();
	}
	finish_wait(&queue->wq, &wait);
}

static int __init wait_bit_init(void)
{
	unsigned int i;

	for (i = 0; i < WAIT_TABLE_SIZE; i++)
		init_waitqueue_head(&bit_wait_table[i].wq);
	return 0;
}
early_initcall(wait_bit_init);
