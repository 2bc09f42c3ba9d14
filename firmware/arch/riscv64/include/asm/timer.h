/* SPDX-License-Identifier: GPL-2.0-only */
/* The local timer's function has the name that traces of such machines show. */
#ifndef _ASM_TIMER_H
#define _ASM_TIMER_H

#define set_next_event	riscv_clock_next_event

#endif
