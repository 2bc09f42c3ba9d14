/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring: records of a header and a text; new ones push the oldest out. */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "internal.h"

static char log_buf[LOG_BUF_SIZE];

static DEFINE_RAW_SPINLOCK(log_lock);
static DEFINE_PER_CPU(bool, log_busy);

/* Positions only grow; a record lies at its position modulo the size. */
static u64 first_pos, first_seq, next_pos, next_seq;
/* Where a reader has just been: the next one mostly goes on there. */
static u64 hint_pos, hint_seq;

static DECLARE_WAIT_QUEUE_HEAD(log_wait);
static bool klogd_pending;
u64 log_clear_seq;

bool log_lock_irqsave(unsigned long *flags)
{
	local_irq_save(*flags);
	if (this_cpu_read(log_busy)) {
		local_irq_restore(*flags);
		return false;
	}
	this_cpu_write(log_busy, true);
	raw_spin_lock(&log_lock);
	return true;
}

void log_unlock_irqrestore(unsigned long flags)
{
	raw_spin_unlock(&log_lock);
	this_cpu_write(log_busy, false);
	local_irq_restore(flags);
}

static void copy_in(u64 pos, const void *data, size_t size)
{
	size_t at = pos % LOG_BUF_SIZE, n = min(size, LOG_BUF_SIZE - at);

	memcpy(log_buf + at, data, n);
	memcpy(log_buf, data + n, size - n);
}

static void copy_out(u64 pos, void *data, size_t size)
{
	size_t at = pos % LOG_BUF_SIZE, n = min(size, LOG_BUF_SIZE - at);

	memcpy(data, log_buf + at, n);
	memcpy(data + n, log_buf, size - n);
}

static void drop_first(void)
{
	struct log_record r;

	copy_out(first_pos, &r, sizeof(r));
	first_pos += sizeof(r) + r.len;
	first_seq++;
}

void log_store(int facility, int level, u64 ts_nsec, const char *text, int len)
{
	struct log_record r = {
		.ts_nsec	= ts_nsec,
		.len		= min(len, LOG_TEXT_MAX),
		.facility	= facility,
		.level		= level,
	};

	while (next_pos + sizeof(r) + r.len - first_pos > LOG_BUF_SIZE)
		drop_first();
	r.seq = next_seq++;
	copy_in(next_pos, &r, sizeof(r));
	copy_in(next_pos + sizeof(r), text, r.len);
	next_pos += sizeof(r) + r.len;
}

bool log_read(u64 seq, struct log_record *r, char *text)
{
	unsigned long flags;
	bool found = false;
	u64 pos;

	if (!log_lock_irqsave(&flags))
		return false;
	pos = hint_seq <= seq && hint_pos >= first_pos ? hint_pos : first_pos;
	for (; pos < next_pos; pos += sizeof(*r) + r->len) {
		copy_out(pos, r, sizeof(*r));
		if (r->seq >= seq) {
			hint_pos = pos;
			hint_seq = r->seq;
			copy_out(pos + sizeof(*r), text, r->len);
			found = true;
			break;
		}
	}
	log_unlock_irqrestore(flags);
	return found;
}

static u64 log_seq(const u64 *which)
{
	unsigned long flags;
	u64 seq = 0;

	if (log_lock_irqsave(&flags)) {
		seq = *which;
		log_unlock_irqrestore(flags);
	}
	return seq;
}

u64 log_first_seq(void)
{
	return log_seq(&first_seq);
}

u64 log_next_seq(void)
{
	return log_seq(&next_seq);
}

/*
 * With interrupts off we may hold the very locks that waking needs: then the
 * next message, or the next reader's look at the clock, does it.
 */
void wake_up_klogd(void)
{
	if (in_nmi() || irqs_disabled()) {
		WRITE_ONCE(klogd_pending, true);
		return;
	}
	WRITE_ONCE(klogd_pending, false);
	if (waitqueue_active(&log_wait))
		wake_up_interruptible_all(&log_wait);
}

/* Every second it looks by itself. */
int wait_for_log(u64 seq)
{
	while (log_next_seq() <= seq) {
		DEFINE_WAIT(wait);
		long err = prepare_to_wait_event(&log_wait, &wait,
						 TASK_INTERRUPTIBLE);

		if (!err && log_next_seq() <= seq)
			schedule_timeout(HZ);
		finish_wait(&log_wait, &wait);
		if (err)
			return err;
	}
	return 0;
}

void log_poll_wait(struct file *file, struct poll_table_struct *wait)
{
	poll_wait(file, &log_wait, wait);
}
