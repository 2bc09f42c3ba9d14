/* SPDX-License-Identifier: GPL-2.0-only */
/* How a terminal treats what is typed and written; abi.h has the rest. */
#ifndef TERMIOS_H
#define TERMIOS_H

#include <abi.h>

#define ICRNL	0x100
#define IXON	0x400

#define OPOST	0x01
#define ONLCR	0x04

#define CS8	0x30
#define CREAD	0x80
#define HUPCL	0x400
#define B38400	0xf

#define ISIG	0x0001
#define ICANON	0x0002
#define ECHO	0x0008
#define ECHOE	0x0010
#define ECHOK	0x0020
#define ECHONL	0x0040
#define NOFLSH	0x0080
#define TOSTOP	0x0100
#define ECHOCTL	0x0200
#define ECHOKE	0x0800
#define IEXTEN	0x8000

#define NCCS	19

/* As the kernel has it. */
struct termios {
	unsigned int	c_iflag;
	unsigned int	c_oflag;
	unsigned int	c_cflag;
	unsigned int	c_lflag;
	unsigned char	c_line;
	unsigned char	c_cc[NCCS];
};

struct winsize {
	unsigned short	ws_row;
	unsigned short	ws_col;
	unsigned short	ws_xpixel;
	unsigned short	ws_ypixel;
};

#define TCSANOW		0
#define TCSADRAIN	1
#define TCSAFLUSH	2

int tcgetattr(int fd, struct termios *settings);
int tcsetattr(int fd, int when, const struct termios *settings);

#endif
