/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt vectors; see docs/board.md. */
#ifndef _ASM_IRQ_H
#define _ASM_IRQ_H

#define BLOCK_DEVICE_VECTOR	0xd1
#define LOCAL_TIMER_VECTOR	0xec
#define UPCALL_VECTOR		0xf2
#define HOST_DEVICE_VECTOR	0xf3
#define CALL_FUNCTION_VECTOR	0xfb
#define RESCHEDULE_VECTOR	0xfd

#endif
