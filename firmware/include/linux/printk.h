/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages. */
#ifndef _LINUX_PRINTK_H
#define _LINUX_PRINTK_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <stdarg.h>

/* How much a message matters begins its format. */
#define KERN_SOH	"\001"
#define KERN_SOH_ASCII	'\001'
#define KERN_EMERG	KERN_SOH "0"
#define KERN_ALERT	KERN_SOH "1"
#define KERN_CRIT	KERN_SOH "2"
#define KERN_ERR	KERN_SOH "3"
#define KERN_WARNING	KERN_SOH "4"
#define KERN_NOTICE	KERN_SOH "5"
#define KERN_INFO	KERN_SOH "6"
#define KERN_DEBUG	KERN_SOH "7"

int printk(const char *fmt, ...) __printf(1, 2);
int vprintk(const char *fmt, va_list args) __printf(1, 0);
/* Into the log alone. */
int printk_quiet(const char *fmt, ...) __printf(1, 2);
int printk_parse_prefix(const char **fmt);
/* A text as it is. */
void printk_line(int level, const char *text);

/* The console's level, a message's without one, the least, the default. */
extern int console_printk[4];

/* A file may define it before it includes anything. */
#ifndef pr_fmt
#define pr_fmt(fmt)	fmt
#endif

#define pr_emerg(fmt, ...)	printk(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)	printk(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)	printk(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice(fmt, ...)	printk(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)	printk(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...)	printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__)

#define pr_warn_once(fmt, ...)						\
	do {								\
		static bool _printed;					\
									\
		if (!_printed) {					\
			_printed = true;				\
			pr_warn(fmt, ##__VA_ARGS__);			\
		}							\
	} while (0)

/*
 * As C's, without floating point. Not traced: <linux/string.h> says why. %p is
 * sixteen hexadecimal digits.
 */
int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
	__printf(3, 0) notrace;
int vbin_printf(u32 *bin_buf, size_t size, const char *fmt, va_list args)
	__printf(3, 0) notrace;
int snprintf(char *buf, size_t size, const char *fmt, ...)
	__printf(3, 4) notrace;
/* Returns what was stored, not what would have been. */
int scnprintf(char *buf, size_t size, const char *fmt, ...)
	__printf(3, 4) notrace;

#endif
