/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways into the kernel and out of it. */
#include <asm/csr.h>
#include <linux/linkage.h>
#include <asm/page.h>
#include <asm-offsets.h>

#define THREAD_SHIFT	(PAGE_SHIFT + THREAD_SIZE_ORDER)

	.section .entry.text, "ax"

/* All but sp, gp and tp; x5 to x31 lie in order from PT_t0 on. */
.macro EACH_GENERAL op
	\op	ra, PT_ra(sp)
	.irp	n, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
	\op	x\n, PT_t0 + 8 * (\n - 5)(sp)
	.endr
	.irp	n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\op	x\n, PT_t0 + 8 * (\n - 5)(sp)
	.endr
.endm

/*
 * Fills pt_regs below the stack pointer, with tp being the kernel's: s5 =
 * scause. From here on a trap may come, and with it an NMI.
 */
.macro SAVE_REGS
	addi	sp, sp, -SIZEOF_pt_regs
	EACH_GENERAL sd
	sd	gp, PT_gp(sp)
	ld	s0, PCPU_sp(tp)
	csrrw	s1, sscratch, zero
	csrr	s2, sstatus
	csrr	s3, sepc
	csrr	s4, stval
	csrr	s5, scause
	sd	s0, PT_sp(sp)
	sd	s1, PT_tp(sp)
	sd	s2, PT_status(sp)
	sd	s3, PT_epc(sp)
	sd	s4, PT_badaddr(sp)
	sd	s5, PT_cause(sp)
	la	gp, __ftrace_text_start

	/* What was interrupted goes on behind struct pt_regs, says an odd frame pointer. */
	addi	s0, sp, 1
	li	t0, SR_SDT
	csrc	sstatus, t0
.endm

/* The status, with SDT as it was saved, comes first: then no trap can change sepc. */
.macro RESTORE_STATUS
	ld	t0, PT_epc(sp)
	csrw	sstatus, s1
	csrw	sepc, t0
.endm

/*
 * stvec: every trap, with interrupts off. sscratch is 0 while the kernel runs;
 * while a program does, it is the address of the CPU's pcpu_hot, which in the
 * kernel is in tp. The kernel's stack must have room for struct pt_regs: a trap
 * would be fatal here.
 */
SYM_FUNC_START(handle_exception)
	csrrw	tp, sscratch, tp
	bnez	tp, 1f
	csrr	tp, sscratch
	sd	sp, PCPU_sp(tp)
	sd	t0, PCPU_t0(tp)
	ld	t0, PCPU_top_of_stack(tp)
	sub	t0, t0, sp
	addi	t0, t0, SIZEOF_pt_regs
	srli	t0, t0, THREAD_SHIFT
	bnez	t0, stack_overflow
	ld	t0, PCPU_t0(tp)
	j	2f
1:	sd	sp, PCPU_sp(tp)
	ld	sp, PCPU_top_of_stack(tp)
2:	SAVE_REGS
	li	t0, EXC_SYSCALL
	beq	s5, t0, 4f
	li	t0, EXC_BREAKPOINT
	bne	s5, t0, 5f
	andi	t0, s2, SR_SPP
	bnez	t0, 6f
5:	mv	a0, sp
	call	irqentry_enter
	la	t1, exception_handlers
	bgez	s5, 3f
	la	t1, interrupt_handlers
3:	slli	t0, s5, 3
	add	t0, t0, t1
	ld	t0, (t0)
	mv	a0, sp
	jalr	t0
	mv	a0, sp
	call	irqentry_exit
	ld	s1, PT_status(sp)
	andi	t0, s1, SR_SPP
	beqz	t0, ret_to_user

	/* tp and gp stay: the task may have moved to another CPU. */
7:	RESTORE_STATUS
	EACH_GENERAL ld
	ld	sp, PT_sp(sp)
	sret

	/* The kernel's breakpoint: nothing on the way may be traced. */
6:	mv	a0, sp
	call	do_kernel_break
	ld	s1, PT_status(sp)
	j	7b

	/* A program's system call. */
4:	mv	a0, sp
	call	do_syscall
SYM_FUNC_END(handle_exception)

/* With interrupts off, nothing left to do, and struct pt_regs at the stack pointer. */
SYM_FUNC_START(ret_to_user)
	ld	s1, PT_status(sp)
	RESTORE_STATUS
	csrw	sscratch, tp
	EACH_GENERAL ld
	ld	gp, PT_gp(sp)
	ld	tp, PT_tp(sp)
	ld	sp, PT_sp(sp)
	sret
SYM_FUNC_END(ret_to_user)

/* The kernel's stack has no room for struct pt_regs; this CPU's other one has. */
SYM_FUNC_START(stack_overflow)
	la	t0, pcpu_hot
	sub	t0, tp, t0
	la	sp, overflow_stack + OVERFLOW_STACK_SIZE
	add	sp, sp, t0
	ld	t0, PCPU_t0(tp)
	SAVE_REGS
	mv	a0, sp
	call	handle_bad_stack
SYM_FUNC_END(stack_overflow)

.macro EACH_SAVED op, thread
	\op	ra, 0(\thread)
	\op	sp, 8(\thread)
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\op	s\n, THREAD_s + 8 * \n (\thread)
	.endr
.endm

/*
 * __switch_to_asm(prev, next), with the run queue locked and interrupts off:
 * stack and current change together, so that __switch_to runs as next in every
 * respect; it returns prev in next's frame. No NMI may come in between.
 */
SYM_FUNC_START(__switch_to_asm)
	li	t3, SR_SDT
	csrs	sstatus, t3
	li	t2, TASK_thread
	add	t0, a0, t2
	add	t1, a1, t2
	EACH_SAVED sd, t0
	EACH_SAVED ld, t1
	sd	a1, PCPU_current_task(tp)
	ld	t0, TASK_stack(a1)
	li	t1, THREAD_SIZE
	add	t0, t0, t1
	sd	t0, PCPU_top_of_stack(tp)
	csrc	sstatus, t3
	tail	__switch_to
SYM_FUNC_END(__switch_to_asm)

/*
 * A new task's first return, with the run queue locked and interrupts off until
 * schedule_tail: a0 = the task that ran before; s1 = a kernel thread's function
 * and s2 its argument, or 0. A kernel thread comes back from its function only
 * as the program that it has become.
 */
SYM_FUNC_START(ret_from_fork)
	call	schedule_tail
	beqz	s1, 1f
	mv	a0, s2
	jalr	s1
	sd	zero, PT_a0(sp)
1:	mv	a0, sp
	call	syscall_exit_to_user_mode
	j	ret_to_user
SYM_FUNC_END(ret_from_fork)
