/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files on signals share. */
#ifndef _KERNEL_TASK_SIGNAL_H
#define _KERNEL_TASK_SIGNAL_H

#include <linux/types.h>

struct sigqueue;

/* NULL if there are too many already, or no memory. */
struct sigqueue *__sigqueue_alloc(int sig, bool override_rlimit);

#endif
