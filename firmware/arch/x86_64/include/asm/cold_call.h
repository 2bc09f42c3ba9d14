/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls on that side of a static key's branch that hardly anybody takes. What
 * is called keeps all registers: so who passes keeps nothing for its sake.
 */
#ifndef _ASM_COLD_CALL_H
#define _ASM_COLD_CALL_H

#define __cold_callee	__attribute__((no_caller_saved_registers))

/* The stack pointer is an operand: the frame is there before the call. */
#define cold_call(function)						\
	do {								\
		register unsigned long ______sp asm("rsp");		\
									\
		asm volatile("call %P1"					\
			     : "+r" (______sp) : "i" (function)		\
			     : "memory", "cc");				\
	} while (0)

#define cold_call_with(function, argument)				\
	do {								\
		register unsigned long ______sp asm("rsp");		\
									\
		asm volatile("call %P1"					\
			     : "+r" (______sp)				\
			     : "i" (function), "D" (argument)		\
			     : "memory", "cc");				\
	} while (0)

/* The same, so that gcc does not keep the constant in a register for it. */
#define cold_call_with_constant(function, constant)			\
	do {								\
		register unsigned long ______sp asm("rsp");		\
									\
		asm volatile("movq %2, %%rdi; call %P1"			\
			     : "+r" (______sp)				\
			     : "i" (function), "i" (constant)		\
			     : "rdi", "memory", "cc");			\
	} while (0)

#endif
