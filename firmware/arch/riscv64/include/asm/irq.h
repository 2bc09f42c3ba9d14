/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: a vector is a cause; the higher goes first. From 16 on they are the platform's. */
#ifndef _ASM_IRQ_H
#define _ASM_IRQ_H

#define CALL_FUNCTION_VECTOR	17
#define RESCHEDULE_VECTOR	18
#define BLOCK_DEVICE_VECTOR	20
#define HOST_DEVICE_VECTOR	21
#define UPCALL_VECTOR		29
#define LOCAL_TIMER_VECTOR	30
#define NMI_CAUSE		63

#endif
