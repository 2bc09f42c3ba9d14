/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host tells the boot CPU, in physical page 1. */
#ifndef _EMU_BOOT_PARAMS_H
#define _EMU_BOOT_PARAMS_H

#include <linux/types.h>

#define BOOT_PARAMS_MAGIC	0x756d65746f6f62UL
#define COMMAND_LINE_SIZE	(4032 - 7 * 8)

struct boot_params {
	u64 magic;
	u64 memory_size;	/* bytes of RAM */
	u64 nr_cpus;
	u64 initrd_start;	/* physical */
	u64 initrd_size;
	u64 tsc_hz;
	u64 seed;
	char command_line[COMMAND_LINE_SIZE];
};

extern struct boot_params boot_params;

#endif
