/* SPDX-License-Identifier: GPL-2.0-only */
/* Device numbers: 12 bits of major, 20 bits of minor in the kernel. */
#ifndef _LINUX_KDEV_T_H
#define _LINUX_KDEV_T_H

#include <linux/types.h>

#define MINORBITS	20
#define MINORMASK	((1U << MINORBITS) - 1)

#define MAJOR(dev)	((unsigned int) ((dev) >> MINORBITS))
#define MINOR(dev)	((unsigned int) ((dev) & MINORMASK))
#define MKDEV(ma, mi)	((dev_t)(((ma) << MINORBITS) | (mi)))

/* User space sees the minor's upper bits above the major. */
static inline u32 new_encode_dev(dev_t dev)
{
	unsigned int minor = MINOR(dev);

	return (minor & 0xff) | (MAJOR(dev) << 8) | ((minor & ~0xffU) << 12);
}

static inline dev_t new_decode_dev(u32 dev)
{
	return MKDEV((dev & 0xfff00) >> 8, (dev & 0xff) | ((dev >> 12) & 0xfff00));
}

#endif
