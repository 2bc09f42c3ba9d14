/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a terminal. */
#ifndef _LINUX_TERMIOS_H
#define _LINUX_TERMIOS_H

#include <uapi/linux/termios.h>

#define NCCS	19

struct ktermios {
	unsigned int c_iflag;
	unsigned int c_oflag;
	unsigned int c_cflag;
	unsigned int c_lflag;
	unsigned char c_line;
	unsigned char c_cc[NCCS];
};

/* The same, with speeds. */
struct ktermios2 {
	struct ktermios termios;
	unsigned int c_ispeed;
	unsigned int c_ospeed;
};

#define __DISABLED_CHAR	'\0'

#endif
