/* SPDX-License-Identifier: GPL-2.0-only */
/* A task in several wait queues at once. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched.h>

struct poll_table_page {
	struct poll_table_page	*next;
	struct poll_table_entry	*entry;		/* the next free */
	struct poll_table_entry	entries[];
};

#define POLL_TABLE_FULL(table) \
	((unsigned long)((table)->entry + 1) > PAGE_SIZE + \
	 (unsigned long)(table))

/* The first wake-up is enough, whichever queue it comes from. */
static int __pollwake(wait_queue_entry_t *wait, unsigned int mode, int sync,
		      void *key)
{
	struct poll_wqueues *pwq = (void *)wait->private;
	wait_queue_entry_t dummy = { .private = pwq->polling_task };

	WRITE_ONCE(pwq->triggered, 1);
	return default_wake_function(&dummy, mode, sync, key);
}

static int pollwake(wait_queue_entry_t *wait, unsigned int mode, int sync,
		    void *key)
{
	struct poll_table_entry *entry =
		container_of(wait, struct poll_table_entry, wait);

	/* Wakers that say what has happened may spare us. */
	if (key && !((unsigned long)key & entry->key))
		return 0;
	return __pollwake(wait, mode, sync, key);
}

static struct poll_table_entry *poll_get_entry(struct poll_wqueues *pwq)
{
	struct poll_table_page *table = pwq->table;

	if (pwq->inline_index < N_INLINE_POLL_ENTRIES)
		return &pwq->inline_entries[pwq->inline_index++];
	if (!table || POLL_TABLE_FULL(table)) {
		table = (void *)__get_free_page(GFP_KERNEL);
		if (!table) {
			pwq->error = -ENOMEM;
			return NULL;
		}
		table->entry = table->entries;
		table->next = pwq->table;
		pwq->table = table;
	}
	return table->entry++;
}

static void __pollwait(struct file *file, wait_queue_head_t *wq, poll_table *pt)
{
	struct poll_wqueues *pwq = container_of(pt, struct poll_wqueues, pt);
	struct poll_table_entry *entry = poll_get_entry(pwq);

	if (!entry)
		return;
	entry->file = get_file(file);
	entry->wait_address = wq;
	entry->key = pt->_key;
	entry->wait = (wait_queue_entry_t){
		.private	= (void *)pwq,
		.func		= pollwake,
		.entry		= LIST_HEAD_INIT(entry->wait.entry),
	};
	add_wait_queue(wq, &entry->wait);
}

void poll_initwait(struct poll_wqueues *pwq)
{
	pwq->pt._qproc = __pollwait;
	pwq->pt._key = ~(__poll_t)0;
	pwq->polling_task = current;
	pwq->triggered = 0;
	pwq->error = 0;
	pwq->table = NULL;
	pwq->inline_index = 0;
}

static void free_poll_entry(struct poll_table_entry *entry)
{
	remove_wait_queue(entry->wait_address, &entry->wait);
	fput(entry->file);
}

void poll_freewait(struct poll_wqueues *pwq)
{
	struct poll_table_page *table = pwq->table, *next;

	for (int i = 0; i < pwq->inline_index; i++)
		free_poll_entry(&pwq->inline_entries[i]);
	for (; table; table = next) {
		while (table->entry > table->entries)
			free_poll_entry(--table->entry);
		next = table->next;
		free_page((unsigned long)table);
	}
}

int poll_schedule_timeout(struct poll_wqueues *pwq, int state,
			  const ktime_t *expires)
{
	static const ktime_t never = KTIME_MAX;
	int ret = -EINTR;

	set_current_state(state);
	if (!READ_ONCE(pwq->triggered))
		ret = schedule_hrtimeout(expires ? expires : &never,
					 HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
	/* Before the files are looked at again. */
	xchg(&pwq->triggered, 0);
	return ret;
}

bool poll_end_time(ktime_t *end, const struct timespec64 *timeout)
{
	if (!timeout)
		return false;
	*end = ktime_add_safe(ktime_get(), timespec64_to_ktime(*timeout));
	return true;
}
