/* SPDX-License-Identifier: GPL-2.0-only */
/* Process numbers. */
#ifndef _LINUX_PID_H
#define _LINUX_PID_H

#include <linux/types.h>

pid_t alloc_pid(void);
void free_pid(pid_t nr);

#endif
