/* SPDX-License-Identifier: GPL-2.0-only */
/* The local timer. */
#ifndef _ASM_TIMER_H
#define _ASM_TIMER_H

#include <linux/types.h>

void riscv_next_event(u64 cycles);

#define set_next_event(cycles)	riscv_next_event(cycles)

#endif
