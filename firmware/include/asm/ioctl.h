/* SPDX-License-Identifier: GPL-2.0-only */
/* How ioctl()'s commands are made: direction, size, type and number. */
#ifndef _ASM_IOCTL_H
#define _ASM_IOCTL_H

#define _IOC_NONE	0U
#define _IOC_READ	2U
#define _IOC_WRITE	1U
#define _IOC_DIRSHIFT	30

#endif
