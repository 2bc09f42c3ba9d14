/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways into the kernel and out of it. */
#include <linux/linkage.h>
#include <asm/msr.h>
#include <asm/segment.h>
#include <asm/page.h>
#include <asm-offsets.h>

#define ENOSYS	38

	.section .entry.text, "ax"

/* Below orig_ax: struct pt_regs, from its end to its beginning. */
.macro PUSH_REGS ax=%rax
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	\ax
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	cld
.endm

/* All but rdi. */
.macro POP_REGS_BUT_RDI
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rax
	pop	%rcx
	pop	%rdx
	pop	%rsi
.endm

/* Also drops orig_ax. */
.macro POP_REGS
	POP_REGS_BUT_RDI
	pop	%rdi
	add	$8, %rsp
.endm

/* What was interrupted goes on behind struct pt_regs, says a frame pointer with bit 0. */
.macro ENCODE_FRAME_POINTER
	lea	1(%rsp), %rbp
.endm

/*
 * An exception or interrupt, with interrupts off: orig_ax is on the stack (an
 * error code, a vector or -1). From user mode the GS base is still the user's.
 * The handler gets (regs, orig_ax) and leaves interrupts off.
 */
.macro idtentry_body cfunc
	testb	$3, 16(%rsp)
	jz	1f
	swapgs
1:	PUSH_REGS
	ENCODE_FRAME_POINTER
	mov	%rsp, %rdi
	call	irqentry_enter
	mov	%rsp, %rdi
	mov	PT_orig_ax(%rsp), %rsi
	movq	$-1, PT_orig_ax(%rsp)
	call	\cfunc
	jmp	error_return
.endm

.macro idtentry name, has_error_code=0
SYM_FUNC_START(asm_\name)
	.if \has_error_code == 0
	push	$-1
	.endif
	idtentry_body \name
SYM_FUNC_END(asm_\name)
.endm

/*
 * With interrupts off and struct pt_regs at the stack pointer. irqentry_exit
 * may schedule: afterwards this may be another CPU.
 */
SYM_FUNC_START(error_return)
	mov	%rsp, %rdi
	call	irqentry_exit
	testb	$3, PT_cs(%rsp)
	jnz	swapgs_restore_regs_and_return_to_usermode
	POP_REGS
	iretq
SYM_FUNC_END(error_return)

/* To user mode, with interrupts off and nothing left to do. */
SYM_FUNC_START(swapgs_restore_regs_and_return_to_usermode)
	POP_REGS
	swapgs
	iretq
SYM_FUNC_END(swapgs_restore_regs_and_return_to_usermode)

/*
 * Interrupts are off (MSR_SYSCALL_MASK); stack and GS base are still the
 * user's, rcx and r11 have its rip and flags.
 */
SYM_FUNC_START(entry_SYSCALL_64)
	swapgs
	mov	%rsp, %gs:PCPU_user_sp
	mov	%gs:PCPU_top_of_stack, %rsp
	push	$__USER_DS
	push	%gs:PCPU_user_sp
	push	%r11
	push	$__USER_CS
	push	%rcx
	push	%rax
	PUSH_REGS ax=$-ENOSYS
	xor	%ebp, %ebp
	mov	%rsp, %rdi
	movslq	%eax, %rsi
	call	do_syscall_64
	test	%al, %al
	jz	swapgs_restore_regs_and_return_to_usermode
	POP_REGS_BUT_RDI
	mov	(%rsp), %rdi
	/* From here to sysretq an NMI finds the user's stack. */
	mov	PT_sp-PT_di(%rsp), %rsp
	swapgs
	sysretq
SYM_FUNC_END(entry_SYSCALL_64)

/*
 * A breakpoint in the kernel may stand for a call: the handler then pushes a
 * return address on the interrupted stack, which lies right above our frame.
 * So the frame is repeated below a gap of its own size; iretq reloads rsp.
 * The way out does not reschedule: what it would call may hold breakpoints.
 * Nor does it use iret, which would let the next NMI in, on the stack of the
 * one whose handler may have been stopped here: flags and address go below the
 * interrupted stack pointer, where the first frame was.
 */
SYM_FUNC_START(asm_exc_int3)
	push	$-1
	testb	$3, 16(%rsp)
	jnz	1f
	.rept	6
	push	5*8(%rsp)
	.endr
	PUSH_REGS
	ENCODE_FRAME_POINTER
	mov	%rsp, %rdi
	call	exc_int3
	mov	PT_sp(%rsp), %rax
	sub	$16, %rax
	mov	PT_ip(%rsp), %rcx
	mov	%rcx, 8(%rax)
	mov	PT_flags(%rsp), %rcx
	mov	%rcx, (%rax)
	mov	%rax, PT_sp(%rsp)
	POP_REGS
	mov	24(%rsp), %rsp
	popfq
	ret
1:	idtentry_body exc_int3
SYM_FUNC_END(asm_exc_int3)

/*
 * NMI and double fault have stacks of their own and can strike between the
 * entry and its swapgs, so the GS base itself says whose it is: the kernel's
 * is negative. rbx remembers what to do on the way out.
 */
.macro idtentry_paranoid name, has_error_code=0
SYM_FUNC_START(asm_\name)
	.if \has_error_code == 0
	push	$-1
	.endif
	PUSH_REGS
	ENCODE_FRAME_POINTER
	xor	%ebx, %ebx
	mov	$MSR_GS_BASE, %ecx
	rdmsr
	test	%edx, %edx
	js	1f
	swapgs
	inc	%ebx
1:	mov	%rsp, %rdi
	mov	PT_orig_ax(%rsp), %rsi
	movq	$-1, PT_orig_ax(%rsp)
	call	\name
	test	%ebx, %ebx
	jz	2f
	swapgs
2:	POP_REGS
	iretq
SYM_FUNC_END(asm_\name)
.endm

idtentry exc_divide_error
idtentry exc_debug
idtentry exc_overflow
idtentry exc_bounds
idtentry exc_invalid_op
idtentry exc_device_not_available
idtentry exc_invalid_tss, 1
idtentry exc_segment_not_present, 1
idtentry exc_stack_segment, 1
idtentry exc_general_protection, 1
idtentry exc_page_fault, 1
idtentry exc_coprocessor_error
idtentry exc_alignment_check, 1
idtentry exc_simd_coprocessor_error
idtentry_paranoid exc_nmi
idtentry_paranoid exc_double_fault, 1

idtentry sysvec_apic_timer_interrupt
idtentry sysvec_host_device
idtentry sysvec_block_device
idtentry sysvec_call_function
idtentry sysvec_reschedule_ipi
idtentry sysvec_upcall
idtentry sysvec_spurious

/*
 * __switch_to_asm(prev, next), with the run queue locked and interrupts off:
 * stack and current change together, so that __switch_to runs as next in every
 * respect; it returns prev in next's frame.
 */
SYM_FUNC_START(__switch_to_asm)
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, TASK_thread_sp(%rdi)
	mov	TASK_thread_sp(%rsi), %rsp
	mov	%rsi, %gs:PCPU_current_task
	mov	TASK_stack(%rsi), %rax
	add	$THREAD_SIZE, %rax
	mov	%rax, %gs:PCPU_top_of_stack
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	jmp	__switch_to
SYM_FUNC_END(__switch_to_asm)

/*
 * A new task's first return, with the run queue locked and interrupts off until
 * schedule_tail: rax = the task that ran before; rbx = a kernel thread's
 * function and r12 its argument, or 0. A kernel thread comes back from its
 * function only as the program that it has become.
 */
SYM_FUNC_START(ret_from_fork)
	xor	%ebp, %ebp
	mov	%rax, %rdi
	call	schedule_tail
	test	%rbx, %rbx
	jz	1f
	mov	%r12, %rdi
	call	*%rbx
	movq	$0, PT_ax(%rsp)
1:	mov	%rsp, %rdi
	call	syscall_exit_to_user_mode
	jmp	swapgs_restore_regs_and_return_to_usermode
SYM_FUNC_END(ret_from_fork)
