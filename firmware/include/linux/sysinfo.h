/* SPDX-License-Identifier: GPL-2.0-only */
/* What sysinfo(2) tells. */
#ifndef _LINUX_SYSINFO_H
#define _LINUX_SYSINFO_H

#include <linux/types.h>

struct sysinfo {
	long uptime;			/* in seconds */
	unsigned long loads[3];
	unsigned long totalram;		/* in mem_unit bytes, from here on */
	unsigned long freeram;
	unsigned long sharedram;
	unsigned long bufferram;
	unsigned long totalswap;
	unsigned long freeswap;
	u16 procs;
	u16 pad;
	unsigned long totalhigh;
	unsigned long freehigh;
	u32 mem_unit;
};

void si_meminfo(struct sysinfo *val);

#endif
