/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs call poll's events: as the kernel does. */
#ifndef _ASM_POLL_H
#define _ASM_POLL_H

#include <linux/types.h>

static inline __poll_t demangle_poll(unsigned short events)
{
	return events;
}

static inline unsigned short mangle_poll(__poll_t events)
{
	return events;
}

#endif
