/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt levels: a vector is its level; the higher goes first. */
#ifndef _ASM_IRQ_H
#define _ASM_IRQ_H

#define CALL_FUNCTION_VECTOR	1
#define RESCHEDULE_VECTOR	2
#define BLOCK_DEVICE_VECTOR	4
#define HOST_DEVICE_VECTOR	5
#define UPCALL_VECTOR		13
#define LOCAL_TIMER_VECTOR	14
#define NMI_LEVEL		15

#endif
