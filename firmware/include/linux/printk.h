/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages. */
#ifndef _LINUX_PRINTK_H
#define _LINUX_PRINTK_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <stdarg.h>

int printk(const char *fmt, ...) __printf(1, 2);
int vprintk(const char *fmt, va_list args) __printf(1, 0);

#define pr_err(...)	printk(__VA_ARGS__)
#define pr_warn(...)	printk(__VA_ARGS__)
#define pr_info(...)	printk(__VA_ARGS__)

/*
 * As C's, without floating point. Not traced: <linux/string.h> says why. %p is
 * sixteen hexadecimal digits.
 */
int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
	__printf(3, 0) notrace;
int snprintf(char *buf, size_t size, const char *fmt, ...)
	__printf(3, 4) notrace;
/* Returns what was stored, not what would have been. */
int scnprintf(char *buf, size_t size, const char *fmt, ...)
	__printf(3, 4) notrace;

#endif
