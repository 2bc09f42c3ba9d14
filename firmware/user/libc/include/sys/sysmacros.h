/* SPDX-License-Identifier: GPL-2.0-only */
/* Device numbers in two parts. */
#ifndef SYS_SYSMACROS_H
#define SYS_SYSMACROS_H

#define major(dev)	((unsigned int)((dev) >> 8 & 0xfff))
#define minor(dev)	((unsigned int)(((dev) & 0xff) | ((dev) >> 12 & 0xfff00)))
#define makedev(major, minor) \
	((dev_t)(((minor) & 0xff) | (major) << 8 | ((minor) & ~0xffu) << 12))

#endif
