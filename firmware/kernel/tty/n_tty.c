/* SPDX-License-Identifier: GPL-2.0-only */
/* The line discipline: what is typed becomes lines and signals. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tty.h>

#include "n_tty.h"

void n_tty_init(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;

	memset(ldata, 0, sizeof(*ldata));
	spin_lock_init(&ldata->lock);
}

size_t n_tty_receive_room(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t room;

	spin_lock(&ldata->lock);
	room = N_TTY_BUF_SIZE - 1 - (ldata->read_head - ldata->read_tail);
	/* A line that is too long loses its rest; its end must come through. */
	if (!room && L_ICANON(tty) && ldata->canon_head == ldata->read_tail)
		room = 1;
	spin_unlock(&ldata->lock);
	return room;
}

void n_tty_flush_buffer(struct tty_struct *tty)
{
	struct n_tty_data *ldata = &tty->n_tty;

	spin_lock(&ldata->lock);
	ldata->read_head = ldata->canon_head = ldata->read_tail = 0;
	memset(ldata->read_flags, 0, sizeof(ldata->read_flags));
	ldata->lnext = false;
	spin_unlock(&ldata->lock);
}

/* What was typed as part of a line is there for everybody, or the reverse. */
void n_tty_set_termios(struct tty_struct *tty, const struct ktermios *old)
{
	struct n_tty_data *ldata = &tty->n_tty;

	if ((old->c_lflag ^ tty->termios.c_lflag) & ICANON) {
		spin_lock(&ldata->lock);
		memset(ldata->read_flags, 0, sizeof(ldata->read_flags));
		if (L_ICANON(tty) && ldata->read_head != ldata->read_tail)
			__set_bit((ldata->read_head - 1) % N_TTY_BUF_SIZE,
				  ldata->read_flags);
		ldata->canon_head = ldata->read_head;
		ldata->lnext = false;
		spin_unlock(&ldata->lock);
	}
	if (!(tty->termios.c_iflag & IXON))
		tty->flow_stopped = false;
	wake_up_interruptible_all(&tty->read_wait);
	wake_up_interruptible_all(&tty->write_wait);
}

void isig(int sig, struct tty_struct *tty)
{
	struct pid *pgrp;
	unsigned long flags;

	spin_lock_irqsave(&tty->ctrl_lock, flags);
	pgrp = get_pid(tty->pgrp);
	spin_unlock_irqrestore(&tty->ctrl_lock, flags);
	if (pgrp) {
		kill_pgrp(pgrp, sig, 1);
		put_pid(pgrp);
	}
}

/* False: the buffer is full, the character is lost. */
static bool put_tty_queue(struct tty_struct *tty, unsigned char c,
			  bool ends_line)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t used = ldata->read_head - ldata->read_tail;

	if (used >= N_TTY_BUF_SIZE - !ends_line)
		return false;
	*read_buf_addr(ldata, ldata->read_head) = c;
	if (ends_line)
		__set_bit(ldata->read_head % N_TTY_BUF_SIZE,
			  ldata->read_flags);
	else
		__clear_bit(ldata->read_head % N_TTY_BUF_SIZE,
			    ldata->read_flags);
	ldata->read_head++;
	return true;
}

static void end_line(struct tty_struct *tty, unsigned char c)
{
	struct n_tty_data *ldata = &tty->n_tty;

	put_tty_queue(tty, c, true);
	ldata->canon_head = ldata->read_head;
}

/* Returns the signal that the character stands for, or 0. */
static int signal_of(struct tty_struct *tty, unsigned char c)
{
	if (!L_ISIG(tty) || c == __DISABLED_CHAR)
		return 0;
	if (c == tty->termios.c_cc[VINTR])
		return SIGINT;
	if (c == tty->termios.c_cc[VQUIT])
		return SIGQUIT;
	if (c == tty->termios.c_cc[VSUSP])
		return SIGTSTP;
	return 0;
}

static bool is_cc(struct tty_struct *tty, unsigned char c, int which)
{
	return c != __DISABLED_CHAR && c == tty->termios.c_cc[which];
}

/* True: it has been dealt with. */
static bool n_tty_receive_canon(struct tty_struct *tty, unsigned char c)
{
	struct n_tty_data *ldata = &tty->n_tty;
	bool extended = tty->termios.c_lflag & IEXTEN;

	if (is_cc(tty, c, VERASE) || is_cc(tty, c, VKILL) ||
	    (is_cc(tty, c, VWERASE) && extended)) {
		eraser(tty, c);
		return true;
	}
	if (is_cc(tty, c, VLNEXT) && extended) {
		ldata->lnext = true;
		if (L_ECHO(tty) && tty->termios.c_lflag & ECHOCTL)
			echo_raw("^\b", 2);
		return true;
	}
	if (is_cc(tty, c, VREPRINT) && L_ECHO(tty) && extended) {
		echo_char(tty, c);
		echo_raw("\n", 1);
		for (size_t i = ldata->canon_head; i != ldata->read_head; i++)
			echo_char(tty, *read_buf_addr(ldata, i));
		return true;
	}
	if (c == '\n') {
		if (L_ECHO(tty) || tty->termios.c_lflag & ECHONL)
			echo_raw("\n", 1);
		end_line(tty, c);
		return true;
	}
	if (is_cc(tty, c, VEOF)) {
		/* It ends the line, and is not part of it. */
		end_line(tty, __DISABLED_CHAR);
		return true;
	}
	if (is_cc(tty, c, VEOL) || (is_cc(tty, c, VEOL2) && extended)) {
		if (L_ECHO(tty))
			echo_char(tty, c);
		end_line(tty, c);
		return true;
	}
	return false;
}

static void n_tty_receive_normal(struct tty_struct *tty, unsigned char c)
{
	struct n_tty_data *ldata = &tty->n_tty;

	if (L_ICANON(tty) && ldata->canon_head == ldata->read_head)
		ldata->canon_column = ldata->column;
	if (!put_tty_queue(tty, c, false)) {
		if (tty->termios.c_iflag & IMAXBEL)
			echo_raw("\a", 1);
		return;
	}
	if (!L_ICANON(tty))
		ldata->canon_head = ldata->read_head;
	if (L_ECHO(tty))
		echo_char(tty, c);
}

/* True: it has been dealt with. The lock is let go to change what runs. */
static bool n_tty_receive_special(struct tty_struct *tty, unsigned char c)
{
	struct n_tty_data *ldata = &tty->n_tty;
	int sig;

	if (tty->termios.c_iflag & IXON) {
		if (is_cc(tty, c, VSTOP)) {
			tty->flow_stopped = true;
			return true;
		}
		if (is_cc(tty, c, VSTART) || (tty->flow_stopped &&
					      tty->termios.c_iflag & IXANY)) {
			tty->flow_stopped = false;
			wake_up_interruptible_all(&tty->write_wait);
			if (is_cc(tty, c, VSTART))
				return true;
		}
	}
	sig = signal_of(tty, c);
	if (!sig)
		return false;
	if (L_ECHO(tty))
		echo_char(tty, c);
	tty->flow_stopped = false;
	spin_unlock(&ldata->lock);
	flush_echoes(tty);
	if (!(tty->termios.c_lflag & NOFLSH))
		n_tty_flush_buffer(tty);
	isig(sig, tty);
	wake_up_interruptible_all(&tty->write_wait);
	spin_lock(&ldata->lock);
	return true;
}

/* What the terminal's settings make of it; -1: nothing. */
static int map_input(struct tty_struct *tty, unsigned char c)
{
	unsigned int iflag = tty->termios.c_iflag;

	if (iflag & ISTRIP)
		c &= 0x7f;
	if (c == '\r') {
		if (iflag & IGNCR)
			return -1;
		if (iflag & ICRNL)
			return '\n';
	} else if (c == '\n' && iflag & INLCR) {
		return '\r';
	}
	return c;
}

static void n_tty_receive_char(struct tty_struct *tty, unsigned char raw)
{
	struct n_tty_data *ldata = &tty->n_tty;
	int c = raw;

	if (ldata->lnext) {
		ldata->lnext = false;
		n_tty_receive_normal(tty, raw);
		return;
	}
	c = map_input(tty, raw);
	if (c < 0 || n_tty_receive_special(tty, c))
		return;
	if (L_ICANON(tty) && n_tty_receive_canon(tty, c))
		return;
	n_tty_receive_normal(tty, c);
}

void n_tty_receive_buf(struct tty_struct *tty, const char *buf, size_t count)
{
	struct n_tty_data *ldata = &tty->n_tty;

	for (size_t i = 0; i < count; i++) {
		spin_lock(&ldata->lock);
		n_tty_receive_char(tty, buf[i]);
		spin_unlock(&ldata->lock);
		if (echo_count > ECHO_BUF_SIZE / 2)
			flush_echoes(tty);
	}
	flush_echoes(tty);
	if (input_available_p(tty))
		wake_up_interruptible_all(&tty->read_wait);
}
