/* SPDX-License-Identifier: GPL-2.0-only */
/* From a member to the structure around it. */
#ifndef _LINUX_CONTAINER_OF_H
#define _LINUX_CONTAINER_OF_H

#include <linux/types.h>

#define container_of(ptr, type, member) ({				\
	const typeof(((type *)0)->member) *_mptr = (ptr);		\
	(type *)((char *)_mptr - offsetof(type, member)); })

#endif
