/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: what each cause stands for. */
#define UNUSED_INTERRUPT	"of an unused cause"
#define timer_interrupt		riscv_timer_interrupt
#include <asm-generic/interrupts.h>

#define EACH_UNUSED(first, last) [first ... last] = spurious_interrupt

const trap_handler_t interrupt_handlers[NR_CAUSES] = {
	EACH_UNUSED(0, CALL_FUNCTION_VECTOR - 1),
	[CALL_FUNCTION_VECTOR]	= call_function_interrupt,
	[RESCHEDULE_VECTOR]	= reschedule_interrupt,
	EACH_UNUSED(RESCHEDULE_VECTOR + 1, BLOCK_DEVICE_VECTOR - 1),
	[BLOCK_DEVICE_VECTOR]	= block_device_interrupt,
	[HOST_DEVICE_VECTOR]	= host_device_interrupt,
	EACH_UNUSED(HOST_DEVICE_VECTOR + 1, UPCALL_VECTOR - 1),
	[UPCALL_VECTOR]		= upcall_interrupt,
	[LOCAL_TIMER_VECTOR]	= timer_interrupt,
	EACH_UNUSED(LOCAL_TIMER_VECTOR + 1, NMI_CAUSE - 1),
	[NMI_CAUSE]		= do_nmi,
};
