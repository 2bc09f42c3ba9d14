/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Input on its way from a driver to the line discipline, which may send
 * signals and sleep over its echo: a worker brings it there.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tty.h>

/* The driver waits until this is done before it inserts more. */
static void flush_to_ldisc(struct work_struct *work)
{
	struct tty_bufhead *buf = container_of(work, struct tty_bufhead, work);
	struct tty_struct *tty = container_of(buf, struct tty_struct, buf);

	n_tty_receive_buf(tty, buf->data, buf->used);
	buf->used = 0;
}

void tty_buffer_init(struct tty_struct *tty)
{
	tty->buf.used = 0;
	INIT_WORK(&tty->buf.work, flush_to_ldisc);
}

void tty_buffer_flush_work(struct tty_struct *tty)
{
	flush_work(&tty->buf.work);
}

size_t tty_insert_flip_string(struct tty_struct *tty, const char *chars,
			      size_t size)
{
	struct tty_bufhead *buf = &tty->buf;

	size = min(size, sizeof(buf->data) - buf->used);
	memcpy(buf->data + buf->used, chars, size);
	buf->used += size;
	return size;
}

void tty_flip_buffer_push(struct tty_struct *tty)
{
	queue_work(system_unbound_wq, &tty->buf.work);
}
