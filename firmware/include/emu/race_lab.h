/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host tells the module race_lab, which lets it direct CPUs. */
#ifndef _EMU_RACE_LAB_H
#define _EMU_RACE_LAB_H

#include <linux/types.h>

/* A CPU's own, in a line of its own. Both are functions without arguments. */
struct race_lab_cpu {
	u64 visit;	/* what its thread calls, again and again */
	u64 nmi_visit;	/* what each NMI calls; 0: nothing */
} __attribute__((aligned(64)));

#endif
