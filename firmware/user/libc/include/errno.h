/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the last call that failed did. */
#ifndef ERRNO_H
#define ERRNO_H

#include <linux/errno.h>

/* No program here has threads. */
extern int errno;

#endif
