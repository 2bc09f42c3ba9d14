/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers, which the machine's seed decides. */
#ifndef _LINUX_RANDOM_H
#define _LINUX_RANDOM_H

#include <linux/types.h>

notrace void get_random_bytes(void *buf, size_t len);

#endif
