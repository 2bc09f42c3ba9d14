/* SPDX-License-Identifier: GPL-2.0-only */
/* Terminals: what lies between a driver and a file. */
#ifndef _LINUX_TTY_H
#define _LINUX_TTY_H

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/termios.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct file;
struct inode;
struct iov_iter;
struct kiocb;
struct pid;
struct task_struct;
struct tty_struct;

#define N_TTY_BUF_SIZE	4096
#define TTY_BUFFER_SIZE	64

struct tty_operations {
	/* Characters to the device; all of them. */
	void (*write)(struct tty_struct *tty, const char *buf, size_t count);
	/* What has come, 0 at the end of all input, -EAGAIN: nothing yet. */
	long (*fetch)(struct tty_struct *tty, char *buf, size_t size);
	/* There is room again for what was left with the device. */
	void (*unthrottle)(struct tty_struct *tty);
	/* The size of its window; all 0: nobody sits there. */
	struct winsize (*get_winsize)(struct tty_struct *tty);
};

/* What has been typed: a ring, of whose bytes some end lines. */
struct n_tty_data {
	spinlock_t lock;
	size_t read_head;		/* these only grow */
	size_t canon_head;		/* after the last whole line */
	size_t read_tail;
	DECLARE_BITMAP(read_flags, N_TTY_BUF_SIZE);	/* line ends here */
	char read_buf[N_TTY_BUF_SIZE];
	unsigned int column;		/* of the cursor */
	unsigned int canon_column;	/* where the line being typed began */
	bool lnext;			/* the next one means itself */
};

/* What has come and is not with the line discipline yet. */
struct tty_bufhead {
	struct work_struct work;
	size_t used;
	char data[TTY_BUFFER_SIZE];
};

struct tty_struct {
	const struct tty_operations *ops;
	spinlock_t ctrl_lock;		/* pgrp, session */
	struct pid *pgrp;		/* in the foreground */
	struct pid *session;		/* whose terminal this is */
	struct mutex termios_mutex;
	struct ktermios termios;
	struct winsize winsize;
	struct mutex read_lock;		/* one reader at a time */
	struct mutex write_lock;	/* output is not mixed */
	wait_queue_head_t read_wait;
	wait_queue_head_t write_wait;
	bool flow_stopped;		/* by ^S */
	bool ended;			/* there will be no more input */
	struct tty_bufhead buf;
	struct n_tty_data n_tty;
};

#define L_ICANON(tty)	((tty)->termios.c_lflag & ICANON)
#define L_ISIG(tty)	((tty)->termios.c_lflag & ISIG)
#define L_ECHO(tty)	((tty)->termios.c_lflag & ECHO)

/* Lines, echo and signals are made here, while nobody reads. */
#define L_COOKED(tty)	((tty)->termios.c_lflag & (ICANON | ISIG | ECHO))

/* hvc_console.c */
extern struct tty_struct console_tty;
void hvc_poll(struct tty_struct *tty);

/* tty_io.c */
void tty_init_struct(struct tty_struct *tty, const struct tty_operations *ops);
void tty_do_resize(struct tty_struct *tty, struct winsize ws);
void tty_hangup(struct tty_struct *tty);

/* tty_buffer.c: for drivers. Before more is inserted, what was pushed is flushed. */
void tty_buffer_init(struct tty_struct *tty);
void tty_buffer_flush_work(struct tty_struct *tty);
size_t tty_insert_flip_string(struct tty_struct *tty, const char *chars,
			      size_t size);
void tty_flip_buffer_push(struct tty_struct *tty);

/* tty_ioctl.c */
long tty_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* tty_jobctrl.c */
int tty_check_change(struct tty_struct *tty);
int job_control(struct tty_struct *tty);
void proc_clear_tty(struct task_struct *p);
void disassociate_ctty(int on_exit);
struct tty_struct *get_current_tty(void);
long tty_jobctrl_ioctl(struct tty_struct *tty, unsigned int cmd,
		       unsigned long arg);

/* n_tty.c: what is typed */
void n_tty_init(struct tty_struct *tty);
void n_tty_receive_buf(struct tty_struct *tty, const char *buf, size_t count);
size_t n_tty_receive_room(struct tty_struct *tty);
void n_tty_set_termios(struct tty_struct *tty, const struct ktermios *old);
void n_tty_flush_buffer(struct tty_struct *tty);
void isig(int sig, struct tty_struct *tty);

/* n_tty_read.c, n_tty_write.c */
bool input_available_p(struct tty_struct *tty);
size_t n_tty_chars_in_buffer(struct tty_struct *tty);
ssize_t n_tty_read(struct tty_struct *tty, struct file *file,
		   struct iov_iter *to);
ssize_t n_tty_write(struct tty_struct *tty, struct iov_iter *from);
/* With write_lock held. */
void process_output(struct tty_struct *tty, const char *buf, size_t count);

#endif
