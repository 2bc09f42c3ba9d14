/* SPDX-License-Identifier: GPL-2.0-only */
/* The serial port to the host: frames, and the credits for them. */
#include "agent.h"
#include "channel.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define PORT		"/dev/ttyS1"
#define CREDIT_BATCH	512

static int port;
static enum { LISTENS, REFUSES, IS_DEAF } attitude;

static unsigned char in[4 * 1024];	/* no whole frame yet */
static size_t in_length;
static unsigned char out[CHANNEL_HEADER + CHANNEL_TO_HOST];
static size_t out_at, out_end;
static unsigned int input_due, other_due;	/* credits */

unsigned char *const frame_data = out + CHANNEL_HEADER;

unsigned int get_number(const unsigned char *from, int bytes)
{
	unsigned int value = 0;

	while (bytes-- > 0)
		value = value << 8 | from[bytes];
	return value;
}

void put_number(unsigned char *to, unsigned int value, int bytes)
{
	for (; bytes-- > 0; value >>= 8)
		*to++ = value;
}

void make_frame(int type, size_t length)
{
	out[0] = type;
	out[1] = 0;
	put_number(out + 2, length, 2);
	out_at = 0;
	out_end = CHANNEL_HEADER + length;
}

bool has_frame(void)
{
	return out_at < out_end;
}

void credit_input(size_t bytes)
{
	input_due += bytes;
}

bool make_port_frame(void)
{
	if (attitude == REFUSES) {
		make_frame(FRAME_REFUSED, 0);
		attitude = IS_DEAF;
		return true;
	}
	if (input_due + other_due < CREDIT_BATCH)
		return false;
	put_number(frame_data, input_due, 4);
	put_number(frame_data + 4, other_due, 4);
	make_frame(FRAME_CREDIT, 8);
	input_due = other_due = 0;
	return true;
}

void poll_port(struct pollfd *fd)
{
	*fd = (struct pollfd){ port, attitude == LISTENS ? POLLIN : 0, 0 };
	if (has_frame())
		fd->events |= POLLOUT;
}

void read_port(void)
{
	ssize_t got = read(port, in + in_length, sizeof(in) - in_length);
	size_t at = 0;

	if (got == 0 || (got < 0 && errno != EAGAIN))
		err(1, PORT);
	in_length += got > 0 ? got : 0;
	while (attitude == LISTENS && in_length - at >= CHANNEL_HEADER) {
		const unsigned char *data = in + at + CHANNEL_HEADER;
		size_t length = get_number(in + at + 2, 2);
		int type = in[at];

		if (length <= CHANNEL_TO_GUEST &&
		    in_length - at < CHANNEL_HEADER + length)
			break;
		if (length > CHANNEL_TO_GUEST || in[at + 1] ||
		    !obey(type, data, length))
			attitude = REFUSES;
		if (type == FRAME_INPUT)
			input_due += CHANNEL_HEADER;
		else if (type == FRAME_INPUT_END)
			input_due += CHANNEL_HEADER + length;
		else
			other_due += CHANNEL_HEADER + length;
		at += CHANNEL_HEADER + length;
	}
	if (attitude != LISTENS)
		at = in_length;
	in_length -= at;
	memmove(in, in + at, in_length);
}

void write_port(void)
{
	ssize_t done = write(port, out + out_at, out_end - out_at);

	if (done < 0 && errno != EAGAIN)
		err(1, PORT);
	out_at += done > 0 ? done : 0;
}

void open_port(void)
{
	static const struct termios raw = {
		.c_iflag = IGNBRK,
		.c_cflag = B115200 | CS8 | CREAD | CLOCAL,
		.c_cc = { [VMIN] = 1 },
	};

	port = open(PORT, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (port < 0 || tcsetattr(port, TCSAFLUSH, &raw) < 0)
		err(1, PORT);
	put_number(frame_data, CHANNEL_VERSION, 4);
	make_frame(FRAME_READY, 4);
}
