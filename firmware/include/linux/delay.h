/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping for milliseconds. */
#ifndef _LINUX_DELAY_H
#define _LINUX_DELAY_H

void msleep(unsigned int msecs);
unsigned long msleep_interruptible(unsigned int msecs);

#endif
