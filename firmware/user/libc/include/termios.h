/* SPDX-License-Identifier: GPL-2.0-only */
/* How a terminal treats what is typed and written. */
#ifndef TERMIOS_H
#define TERMIOS_H

#include <linux/termios.h>

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

#define TCSANOW		0
#define TCSADRAIN	1
#define TCSAFLUSH	2

int tcgetattr(int fd, struct termios *settings);
int tcsetattr(int fd, int when, const struct termios *settings);

#endif
