/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console: the host's terminal. Where somebody sits at it, a thread takes
 * what is typed at once, for ^C has to work while nobody reads. What comes from
 * a file stays with the host until it is read.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/tty.h>
#include <emu/hostcall.h>

struct tty_struct console_tty;
static struct task_struct *hvc_task;
static bool hvc_kicked;

static void hvc_write(struct tty_struct *tty, const char *buf, size_t count)
{
	hostcall2(HC_CONSOLE_WRITE, buf, count);
}

static long hvc_fetch(struct tty_struct *tty, char *buf, size_t size)
{
	return hostcall2(HC_CONSOLE_READ, buf, size);
}

static struct winsize hvc_get_winsize(struct tty_struct *tty)
{
	unsigned long size = hostcall0(HC_CONSOLE_SIZE);

	return (struct winsize){
		.ws_row = size >> 16 & 0xffff, .ws_col = size & 0xffff
	};
}

static void hvc_kick(void)
{
	hvc_kicked = true;
	wake_up_process(hvc_task);
}

static void hvc_unthrottle(struct tty_struct *tty)
{
	if (L_COOKED(tty))
		hvc_kick();
}

static const struct tty_operations hvc_ops = {
	.write		= hvc_write,
	.fetch		= hvc_fetch,
	.unthrottle	= hvc_unthrottle,
	.get_winsize	= hvc_get_winsize,
};

/* As much as there is room for. */
void hvc_poll(struct tty_struct *tty)
{
	char buf[TTY_BUFFER_SIZE];
	size_t room;
	long n;

	tty_do_resize(tty, hvc_get_winsize(tty));
	for (;;) {
		tty_buffer_flush_work(tty);
		if (!L_COOKED(tty) || !(room = n_tty_receive_room(tty)))
			break;
		n = hvc_fetch(tty, buf, min_t(size_t, room, sizeof(buf)));
		if (n == 0 && !tty->ended)
			tty_hangup(tty);
		if (n <= 0)
			return;
		tty_insert_flip_string(tty, buf, n);
		tty_flip_buffer_push(tty);
	}
	/* Those who want it as it is ask the host themselves. */
	if (!L_COOKED(tty))
		wake_up_interruptible_all(&tty->read_wait);
}

static int khvcd(void *unused)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!xchg(&hvc_kicked, false))
			schedule();
		__set_current_state(TASK_RUNNING);
		hvc_poll(&console_tty);
	}
	return 0;
}

/* Called with interrupts off. */
void console_input_ready(void)
{
	struct tty_struct *tty = &console_tty;

	if (L_COOKED(tty) || tty->winsize.ws_row)
		hvc_kick();
	else
		wake_up_interruptible_all(&tty->read_wait);
	command_ready();
}

/* Before the interrupt can come. */
static int __init hvc_console_init(void)
{
	tty_init_struct(&console_tty, &hvc_ops);
	return 0;
}
early_initcall(hvc_console_init);

static int __init hvc_init(void)
{
	hvc_task = kthread_run(khvcd, NULL, "khvcd");
	return PTR_ERR_OR_ZERO(hvc_task);
}
device_initcall(hvc_init);
