/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of messages, as those who fill and read it see it. */
#ifndef _PRINTK_INTERNAL_H
#define _PRINTK_INTERNAL_H

#include <linux/types.h>

#define LOG_BUF_SIZE	(1 << 17)
#define LOG_TEXT_MAX	1024

#define LOG_KERN	0
#define LOG_USER	1

#define CONSOLE_LOGLEVEL_MIN		1
#define CONSOLE_LOGLEVEL_DEFAULT	5	/* warnings, and worse */
#define MESSAGE_LOGLEVEL_DEFAULT	4

struct poll_table_struct;
struct file;

struct log_record {
	u64		seq;
	u64		ts_nsec;
	u16		len;
	u8		facility;
	u8		level;
};

/*
 * The log and the console. False if this CPU has it already, or is taking it,
 * in what an NMI or a fault has interrupted: then there is nothing to be said.
 */
bool log_lock_irqsave(unsigned long *flags);
void log_unlock_irqrestore(unsigned long flags);

/* With the log locked. */
void log_store(int facility, int level, u64 ts_nsec, const char *text, int len);
/*
 * The record of number @seq or, if that has been overwritten, the first later
 * one that is there; its text goes to @text. False: there is none yet.
 */
bool log_read(u64 seq, struct log_record *record, char *text);
/* The numbers of the oldest record, and of the next that will come. */
u64 log_first_seq(void);
u64 log_next_seq(void);

/* From any context but that it may be late where interrupts are off. */
void wake_up_klogd(void);
/* Until there is a record of that number; -ERESTARTSYS for a signal. */
int wait_for_log(u64 seq);
void log_poll_wait(struct file *file, struct poll_table_struct *wait);

/* Where "clear" has been: those who ask for all get what came after it. */
extern u64 log_clear_seq;

void printk_text(int facility, int level, const char *text, int len);

#endif
