/* SPDX-License-Identifier: GPL-2.0-only */
/* What a line shows while it is typed, and taking back parts of it. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tty.h>

#include "n_tty.h"

/* Input comes from one thread; what it shows is written without the lock. */
static char echo_buf[ECHO_BUF_SIZE];
size_t echo_count;

void flush_echoes(struct tty_struct *tty)
{
	if (!echo_count)
		return;
	mutex_lock(&tty->write_lock);
	process_output(tty, echo_buf, echo_count);
	mutex_unlock(&tty->write_lock);
	echo_count = 0;
}

/* What one character shows is rarely more than a few; the rest is cut. */
void echo_raw(const char *s, size_t n)
{
	if (echo_count + n > sizeof(echo_buf))
		return;
	memcpy(echo_buf + echo_count, s, n);
	echo_count += n;
}

static bool is_ctrl(unsigned char c)
{
	return (c < ' ' && c != '\t') || c == 0x7f;
}

/* Control characters show as ^X. */
void echo_char(struct tty_struct *tty, unsigned char c)
{
	char shown[2] = { '^', c ^ 0x40 };

	if (tty->termios.c_lflag & ECHOCTL && is_ctrl(c) && c != '\n')
		echo_raw(shown, 2);
	else
		echo_raw((char *)&c, 1);
}

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* How wide it stands on the screen, at column @column. */
static unsigned int width_of(struct tty_struct *tty, unsigned char c,
			     unsigned int column)
{
	if (c == '\t')
		return 8 - column % 8;
	if (is_ctrl(c))
		return tty->termios.c_lflag & ECHOCTL ? 2 : 0;
	return !is_continuation(c);
}

/* Of the line being typed, up to @end. */
static unsigned int column_at(struct tty_struct *tty, size_t end)
{
	struct n_tty_data *ldata = &tty->n_tty;
	unsigned int column = ldata->canon_column;

	for (size_t i = ldata->canon_head; i != end; i++)
		column += width_of(tty, *read_buf_addr(ldata, i), column);
	return column;
}

static void erase_to(struct tty_struct *tty, size_t head)
{
	struct n_tty_data *ldata = &tty->n_tty;
	unsigned int from = column_at(tty, ldata->read_head);
	unsigned int to = column_at(tty, head);

	ldata->read_head = head;
	if (!L_ECHO(tty) || !(tty->termios.c_lflag & ECHOE))
		return;
	/* A tab is only gone back over: what is under it is blank. */
	for (; from > to; from--)
		echo_raw("\b \b", 3);
}

static bool is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

void eraser(struct tty_struct *tty, unsigned char c)
{
	struct n_tty_data *ldata = &tty->n_tty;
	size_t start = ldata->canon_head, head = ldata->read_head;

	if (head == start)
		return;
	if (c == tty->termios.c_cc[VKILL]) {
		head = start;
		if (!(tty->termios.c_lflag & ECHOKE)) {
			ldata->read_head = head;
			if (L_ECHO(tty)) {
				echo_char(tty, c);
				if (tty->termios.c_lflag & ECHOK)
					echo_raw("\n", 1);
			}
			return;
		}
	} else if (c == tty->termios.c_cc[VWERASE]) {
		while (head != start &&
		       !is_word(*read_buf_addr(ldata, head - 1)))
			head--;
		while (head != start &&
		       is_word(*read_buf_addr(ldata, head - 1)))
			head--;
	} else {
		do {
			head--;
		} while (head != start &&
			 is_continuation(*read_buf_addr(ldata, head)));
	}
	erase_to(tty, head);
}
