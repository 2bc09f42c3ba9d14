/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a terminal. */
#include <errno.h>
#include <sys/ioctl.h>
#include <termios.h>

int tcgetattr(int fd, struct termios *settings)
{
	return ioctl(fd, TCGETS, settings);
}

int tcsetattr(int fd, int when, const struct termios *settings)
{
	switch (when) {
	case TCSANOW:
		return ioctl(fd, TCSETS, settings);
	case TCSADRAIN:
		return ioctl(fd, TCSETSW, settings);
	case TCSAFLUSH:
		return ioctl(fd, TCSETSF, settings);
	default:
		errno = EINVAL;
		return -1;
	}
}
