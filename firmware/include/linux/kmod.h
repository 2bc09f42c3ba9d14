/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that the kernel itself asks for. */
#ifndef _LINUX_KMOD_H
#define _LINUX_KMOD_H

#include <linux/compiler.h>
#include <linux/types.h>

#define KMOD_PATH_LEN	256

extern char modprobe_path[];	/* /proc/sys/kernel/modprobe */

/*
 * Has modprobe load what a name or an alias stands for. 0 says that modprobe
 * was content, not that what is wanted is there: its caller looks again. Less
 * is an errno, more is modprobe's wait status. Sleeps until modprobe has ended,
 * without @wait until it has begun.
 */
int __request_module(bool wait, const char *fmt, ...) __printf(2, 3);

#define request_module(mod...)		__request_module(true, mod)
#define request_module_nowait(mod...)	__request_module(false, mod)

#endif
