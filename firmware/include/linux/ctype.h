/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of ASCII characters. */
#ifndef _LINUX_CTYPE_H
#define _LINUX_CTYPE_H

#include <linux/compiler.h>
#include <linux/types.h>

static inline bool isdigit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool isspace(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int tolower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

#endif
