/* SPDX-License-Identifier: GPL-2.0-only */
/* Where this CPU's copies of per-CPU variables are. */
#ifndef _ASM_PERCPU_H
#define _ASM_PERCPU_H

#include <asm/pcpu_hot.h>

#define this_cpu_offset()	pcpu_hot_read(percpu_offset)

#endif
