/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text. Not traced: <linux/string.h> says why. */
#ifndef _LINUX_KSTRTOX_H
#define _LINUX_KSTRTOX_H

#include <linux/compiler.h>
#include <linux/types.h>

/* 0, -EINVAL or -ERANGE; a base of 0 goes by the number's prefix. */
notrace int kstrtoull(const char *s, unsigned int base,
		      unsigned long long *res);
notrace int kstrtoll(const char *s, unsigned int base, long long *res);
notrace int kstrtouint(const char *s, unsigned int base, unsigned int *res);
notrace int kstrtobool(const char *s, bool *res);

static inline int kstrtoul(const char *s, unsigned int base, unsigned long *res)
{
	return kstrtoull(s, base, (unsigned long long *)res);
}

static inline int kstrtol(const char *s, unsigned int base, long *res)
{
	return kstrtoll(s, base, (long long *)res);
}

notrace unsigned long long simple_strtoull(const char *s, char **end,
					   unsigned int base);
notrace unsigned long simple_strtoul(const char *s, char **end,
				     unsigned int base);

#endif
