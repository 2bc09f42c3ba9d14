/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt vectors, and the interrupt that devices share. */
#ifndef _ASM_IRQ_H
#define _ASM_IRQ_H

#define LOCAL_TIMER_VECTOR	0xec
#define UPCALL_VECTOR		0xf2
#define HOST_DEVICE_VECTOR	0xf3
#define CALL_FUNCTION_VECTOR	0xfb
#define RESCHEDULE_VECTOR	0xfd

/* For request_irq(): console input, or a command, is ready. */
#define HOST_DEVICE_IRQ		0
#define NR_IRQS			1

#endif
