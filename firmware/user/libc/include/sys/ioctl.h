/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to devices. */
#ifndef SYS_IOCTL_H
#define SYS_IOCTL_H

#include <linux/termios.h>

int ioctl(int fd, unsigned long request, ...);

#endif
