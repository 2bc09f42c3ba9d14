/* SPDX-License-Identifier: GPL-2.0-only */
/* What must be the same in a module and in the kernel that loads it. */
#ifndef _LINUX_VERMAGIC_H
#define _LINUX_VERMAGIC_H

#include <linux/utsname.h>

#define VERMAGIC_STRING \
	UTS_RELEASE " SMP preempt mod_unload " UTS_MACHINE " "

#endif
