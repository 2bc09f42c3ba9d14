/* SPDX-License-Identifier: GPL-2.0-only */
/* ioctl()'s commands. */
#ifndef _LINUX_IOCTL_H
#define _LINUX_IOCTL_H

#include <asm/ioctl.h>

#define _IOC(dir, type, nr, size) \
	((dir) << _IOC_DIRSHIFT | (size) << 16 | (type) << 8 | (nr))
#define _IO(type, nr)		_IOC(_IOC_NONE, type, nr, 0U)
#define _IOR(type, nr, t)	_IOC(_IOC_READ, type, nr, (unsigned int)sizeof(t))
#define _IOW(type, nr, t)	_IOC(_IOC_WRITE, type, nr, (unsigned int)sizeof(t))

#endif
