/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers, which the machine's seed decides. */
#ifndef _LINUX_RANDOM_H
#define _LINUX_RANDOM_H

#include <linux/types.h>

struct file_operations;

notrace void get_random_bytes(void *buf, size_t len);

/* drivers/random.c: /dev/random and /dev/urandom */
extern const struct file_operations random_fops, urandom_fops;

#endif
