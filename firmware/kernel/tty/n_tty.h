/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the line discipline share. */
#ifndef _KERNEL_TTY_N_TTY_H
#define _KERNEL_TTY_N_TTY_H

#include <linux/tty.h>

static inline char *read_buf_addr(struct n_tty_data *ldata, size_t i)
{
	return &ldata->read_buf[i % N_TTY_BUF_SIZE];
}

/* n_tty_edit.c: shown by flush_echoes(), which must be called without the lock. */
#define ECHO_BUF_SIZE	(4 * N_TTY_BUF_SIZE)
extern size_t echo_count;		/* bytes that wait for it */
void echo_raw(const char *s, size_t n);
void echo_char(struct tty_struct *tty, unsigned char c);
void flush_echoes(struct tty_struct *tty);
/* VERASE, VKILL or VWERASE has been typed. */
void eraser(struct tty_struct *tty, unsigned char c);

#endif
