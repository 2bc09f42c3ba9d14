/* SPDX-License-Identifier: GPL-2.0-only */
/* syslog(2): the messages as text, and what the console shows of them. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>

#include "internal.h"

#define SYSLOG_ACTION_CLOSE		0
#define SYSLOG_ACTION_OPEN		1
#define SYSLOG_ACTION_READ		2
#define SYSLOG_ACTION_READ_ALL		3
#define SYSLOG_ACTION_READ_CLEAR	4
#define SYSLOG_ACTION_CLEAR		5
#define SYSLOG_ACTION_CONSOLE_OFF	6
#define SYSLOG_ACTION_CONSOLE_ON	7
#define SYSLOG_ACTION_CONSOLE_LEVEL	8
#define SYSLOG_ACTION_SIZE_UNREAD	9
#define SYSLOG_ACTION_SIZE_BUFFER	10

/* "<6>[    0.000000] " before each line of a text of one character each */
#define SYSLOG_LINE_MAX	(LOG_TEXT_MAX * 2 + 64)

static DEFINE_MUTEX(syslog_lock);
static u64 syslog_seq;		/* what READ gives next, under syslog_lock */
static int saved_console_loglevel = -1;

/* "<6>[    1.234567] text\n" */
static int format_record(const struct log_record *r, const char *text,
			 char *line)
{
	unsigned long us = r->ts_nsec / 1000;

	return scnprintf(line, SYSLOG_LINE_MAX, "<%u>[%5lu.%06lu] %.*s\n",
			 r->facility << 3 | r->level, us / 1000000,
			 us % 1000000, r->len, text);
}

struct syslog_buf {
	char	text[LOG_TEXT_MAX];
	char	line[SYSLOG_LINE_MAX];
};

/* The size of all lines from @seq on. */
static size_t size_from(u64 seq, struct syslog_buf *b)
{
	struct log_record r;
	size_t size = 0;

	for (; log_read(seq, &r, b->text); seq = r.seq + 1)
		size += format_record(&r, b->text, b->line);
	return size;
}

/* Lines from *seq on, as many as fit whole; *seq becomes what is next. */
static int copy_lines(char __user *buf, size_t size, u64 *seq,
		      struct syslog_buf *b)
{
	struct log_record r;
	size_t done = 0;

	while (log_read(*seq, &r, b->text)) {
		int len = format_record(&r, b->text, b->line);

		if (len > size - done)
			break;
		if (copy_to_user(buf + done, b->line, len))
			return done ? (int)done : -EFAULT;
		done += len;
		*seq = r.seq + 1;
	}
	return done;
}

/* Waits for what has not been read. */
static int syslog_print(char __user *buf, int size, struct syslog_buf *b)
{
	int ret;

	do {
		ret = wait_for_log(syslog_seq);
		if (ret)
			return ret;
		mutex_lock(&syslog_lock);
		ret = copy_lines(buf, size, &syslog_seq, b);
		mutex_unlock(&syslog_lock);
	} while (!ret && log_next_seq() <= syslog_seq);
	return ret;
}

/* The last lines that fit, of those since the log was cleared. */
static int syslog_print_all(char __user *buf, int size, bool clear,
			    struct syslog_buf *b)
{
	u64 seq = log_clear_seq;
	size_t total = size_from(seq, b);
	struct log_record r;
	int ret;

	while (total > size && log_read(seq, &r, b->text)) {
		total -= format_record(&r, b->text, b->line);
		seq = r.seq + 1;
	}
	ret = copy_lines(buf, size, &seq, b);
	if (ret >= 0 && clear)
		log_clear_seq = seq;
	return ret;
}

static int set_console_level(int level)
{
	if (level < 1 || level > 8)
		return -EINVAL;
	console_printk[0] = max(level, console_printk[2]);
	saved_console_loglevel = -1;
	return 0;
}

static int syslog_read(int type, char __user *buf, int len)
{
	struct syslog_buf *b;
	int ret;

	if (!buf || len < 0)
		return -EINVAL;
	if (!len)
		return 0;
	if (!access_ok(buf, len))
		return -EFAULT;
	b = kmalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	if (type == SYSLOG_ACTION_READ)
		ret = syslog_print(buf, len, b);
	else
		ret = syslog_print_all(buf, len,
				       type == SYSLOG_ACTION_READ_CLEAR, b);
	kfree(b);
	return ret;
}

static int syslog_size_unread(void)
{
	struct syslog_buf *b = kmalloc(sizeof(*b), GFP_KERNEL);
	int ret;

	if (!b)
		return -ENOMEM;
	ret = size_from(syslog_seq, b);
	kfree(b);
	return ret;
}

static int do_syslog(int type, char __user *buf, int len)
{
	switch (type) {
	case SYSLOG_ACTION_CLOSE:
	case SYSLOG_ACTION_OPEN:
		return 0;
	case SYSLOG_ACTION_READ:
	case SYSLOG_ACTION_READ_ALL:
	case SYSLOG_ACTION_READ_CLEAR:
		return syslog_read(type, buf, len);
	case SYSLOG_ACTION_CLEAR:
		log_clear_seq = log_next_seq();
		return 0;
	case SYSLOG_ACTION_CONSOLE_OFF:
		if (saved_console_loglevel < 0)
			saved_console_loglevel = console_printk[0];
		console_printk[0] = console_printk[2];
		return 0;
	case SYSLOG_ACTION_CONSOLE_ON:
		if (saved_console_loglevel >= 0)
			console_printk[0] = saved_console_loglevel;
		saved_console_loglevel = -1;
		return 0;
	case SYSLOG_ACTION_CONSOLE_LEVEL:
		return set_console_level(len);
	case SYSLOG_ACTION_SIZE_UNREAD:
		return syslog_size_unread();
	case SYSLOG_ACTION_SIZE_BUFFER:
		return LOG_BUF_SIZE;
	}
	return -EINVAL;
}

SYSCALL_DEFINE3(syslog, int, type, char __user *, buf, int, len)
{
	return do_syslog(type, buf, len);
}

static struct ctl_table printk_sysctls[] = {
	{
		.procname	= "printk",
		.data		= console_printk,
		.maxlen		= 4 * sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec,
	},
	{ }
};

static int __init printk_sysctl_init(void)
{
	register_sysctl_init("kernel", printk_sysctls);
	return 0;
}
device_initcall(printk_sysctl_init);
