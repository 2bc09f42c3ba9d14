/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways into the kernel and out of it; the trap table leads here. */
#include <asm/asi.h>
#include <asm/irq.h>
#include <asm/jump_label.h>
#include <linux/linkage.h>
#include <asm/page.h>
#include <asm/pstate.h>
#include <asm/ptrace.h>
#include <asm/unistd.h>
#include <asm/windows.h>
#include <asm-offsets.h>

/* The pt_regs above a frame of entry code. */
#define PTREGS_OFF	(STACK_BIAS + STACKFRAME_SZ)
#define UREG(n)		(PTREGS_OFF + PT_u_regs + 8 * (n))

/* Vectors of windows, in units of their 32 instructions. */
#define VECTOR_SHIFT		7
#define VECTOR_SPILL_USER	(0x84 / 4)
#define VECTOR_SPILL_OTHER	(0xa4 / 4)
#define VECTOR_FILL_USER	(0xc4 / 4)
#define VECTORS_TL1		(0x200 / 4)	/* above those of trap level 0 */

/* Trap types that lead to window_trap like TLB misses. */
#define TT_PRIVILEGE		0x30
#define TT_UNALIGNED		0x34

/* Results from its negative up are errors. */
#define MAX_ERRNO	4095

	.section .entry.text, "ax"

/* The low half of an address in the image becomes the address. */
.macro KERNEL_ADDRESS reg, scratch
	mov	-1, \scratch
	sllx	\scratch, PAGE_OFFSET_SHIFT, \scratch
	add	\reg, \scratch, \reg
.endm

.macro LOAD_LOW symbol, reg
	sethi	%lm(\symbol), \reg
	or	\reg, %lo(\symbol), \reg
.endm

/* Which vector it was in that trapped again, if it was one. */
.macro TRAPPED_VECTOR reg, scratch
	rdpr	%tpc, \reg
	rdpr	%tba, \scratch
	sub	\reg, \scratch, \reg
	srlx	\reg, VECTOR_SHIFT, \reg
.endm

/*
 * From a program, at trap level 1: onto the task's kernel stack, with a window
 * right above the one that was interrupted. That one and those before it become
 * OTHERWIN's. They are counted before the new one is made: should it need room,
 * all are in the CPU, and the oldest goes. The kernel's %asi is the user's
 * memory, for copies and for spilling windows.
 */
.macro ENTER_FROM_USER
	rdpr	%canrestore, %g3
	add	%g3, 1, %g3
	wrpr	%g3, 0, %otherwin
	wrpr	%g0, WSTATE_KERNEL, %wstate
	wrpr	%g0, NWINDOWS - 1, %cleanwin
	wr	%g0, ASI_AIUP, %asi
	ldx	[%g7 + PCPU_top_of_stack], %g3
	save	%g3, -(TRAP_FRAME_SZ + STACK_BIAS), %sp
	wrpr	%g0, 0, %canrestore
.endm

/*
 * Fills pt_regs, %l0 to %l3 being TSTATE, TPC, TNPC and magic, \u0 what has no
 * register. From trap level 1 to 0, where the globals are the kernel's.
 */
.macro SAVE_REGS u0
	rd	%y, %l4
	mov	%g7, %l7
	wrpr	%g0, PSTATE_KERNEL, %pstate
	stx	\u0, [%sp + UREG(0)]
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	stx	%g\n, [%sp + UREG(\n)]
	.endr
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%i\n, [%sp + UREG(8 + \n)]
	.endr
	stx	%l0, [%sp + PTREGS_OFF + PT_tstate]
	stx	%l1, [%sp + PTREGS_OFF + PT_tpc]
	stx	%l2, [%sp + PTREGS_OFF + PT_tnpc]
	stw	%l4, [%sp + PTREGS_OFF + PT_y]
	stw	%l3, [%sp + PTREGS_OFF + PT_magic]
	mov	%l7, %g6
	wrpr	%g0, 0, %tl
.endm

/* What trapped, and where, into the locals of which SAVE_REGS speaks. */
.macro TRAP_STATE
	rdpr	%tstate, %l0
	rdpr	%tpc, %l1
	rdpr	%tnpc, %l2
	rdpr	%tt, %l3
	sethi	%hi(PT_REGS_MAGIC), %l4
	or	%l3, %l4, %l3
.endm

/*
 * At trap level 1 with alternate globals and interrupts off: %g1 = the low half
 * of a C function's address, %g2 = its second argument; the function runs at
 * trap level 0 and leaves interrupts off.
 */
SYM_FUNC_START(etrap)
	KERNEL_ADDRESS %g1, %g3
	rdpr	%tstate, %g3
	andcc	%g3, TSTATE_PRIV, %g0
	bne,a,pn %xcc, 1f
	 save	%sp, -TRAP_FRAME_SZ, %sp
	ENTER_FROM_USER
1:	TRAP_STATE
	mov	%g1, %l5
	mov	%g2, %l6
	SAVE_REGS %g0
	call	irqentry_enter
	 add	%sp, PTREGS_OFF, %o0
	mov	%l6, %o1
	jmpl	%l5, %o7
	 add	%sp, PTREGS_OFF, %o0

	/* The function has left interrupts off. */
	call	irqentry_exit
	 add	%sp, PTREGS_OFF, %o0
	ldx	[%sp + PTREGS_OFF + PT_tstate], %l0
	andcc	%l0, TSTATE_PRIV, %g0
	be,pt	%xcc, rtrap_user
	 nop
	ba,a,pt	%xcc, rtrap_kernel

/*
 * A kernel probe's trap. Whatever the probe is in goes on as if nothing had
 * come: neither hooks of interrupts nor a switch to another task are on the
 * way, and PIL stays. So the probe may be in what those call. Backtraces take
 * the frame for etrap's, of which this is a part.
 */
	.globl	kprobe_etrap
kprobe_etrap:
	rdpr	%tstate, %g3
	andcc	%g3, TSTATE_PRIV, %g0
	be,pn	%xcc, 1f
	 nop
	save	%sp, -TRAP_FRAME_SZ, %sp
	TRAP_STATE
	SAVE_REGS %g0
	call	kprobe_handler
	 add	%sp, PTREGS_OFF, %o0
	cmp	%o0, KPROBE_HANDLED
	be,pn	%icc, rtrap_kernel
	 mov	%o0, %l5
	mov	0, %o1
	call	kprobe_trap
	 add	%sp, PTREGS_OFF, %o0
	brz,pn	%o0, 2f
	 mov	%l5, %o1
	call	kprobe_executed
	 add	%sp, PTREGS_OFF, %o0
	ba,a,pt	%xcc, rtrap_kernel
2:	call	bad_trap
	 add	%sp, PTREGS_OFF, %o0
	ba,a,pt	%xcc, rtrap_kernel
1:	LOAD_LOW bad_trap, %g1
	ba,a,pt	%xcc, etrap
SYM_FUNC_END(etrap)

/*
 * A program's system call, at trap level 1. It is called from etrap's window:
 * one of its own would push out one of the program's. The program goes on after
 * the trap instruction; execve and fork rely on it. syscall_exit_to_user_mode
 * does what is left to do before that.
 */
SYM_FUNC_START(do_syscall)
	ENTER_FROM_USER
	rdpr	%tstate, %l0
	rdpr	%tnpc, %l1
	add	%l1, 4, %l2
	sethi	%hi(PT_REGS_MAGIC), %l3
	or	%l3, TRAP_SYSCALL, %l3
	SAVE_REGS %i0
	STATIC_BRANCH trace_irqflags_key, 5f
6:	wrpr	%g0, PSTATE_KERNEL | PSTATE_IE, %pstate
	STATIC_BRANCH __tracepoint_sys_enter, 4f

	/* The last function is that of numbers beyond. */
1:	cmp	%g1, NR_syscalls
	movgu	%icc, NR_syscalls, %g1
	LOAD_LOW sys_call_table, %l0
	KERNEL_ADDRESS %l0, %l1
	sllx	%g1, 32, %l1
	srlx	%l1, 32 - 3, %l1
	ldx	[%l0 + %l1], %l0
	mov	%i0, %o0
	mov	%i1, %o1
	mov	%i2, %o2
	mov	%i3, %o3
	mov	%i4, %o4
	jmpl	%l0, %o7
	 mov	%i5, %o5

	/* execve and rt_sigreturn have put other registers in place. */
	lduw	[%sp + PTREGS_OFF + PT_magic], %l0
	cmp	%l0, %l3
	bne,pn	%icc, 3f
	 ldx	[%sp + PTREGS_OFF + PT_tstate], %l0
	/* The carry says whether it is an error, and then the result is positive. */
	mov	(TSTATE_ICC_C | TSTATE_XCC_C) >> 32, %l1
	sllx	%l1, 32, %l1
	cmp	%o0, -MAX_ERRNO
	blu,pt	%xcc, 2f
	 andn	%l0, %l1, %l0
	or	%l0, %l1, %l0
	neg	%o0
2:	stx	%l0, [%sp + PTREGS_OFF + PT_tstate]
	stx	%o0, [%sp + UREG(UREG_I0)]
3:	call	syscall_exit_to_user_mode
	 add	%sp, PTREGS_OFF, %o0
	ba,a,pt	%xcc, rtrap_user

4:	add	%sp, PTREGS_OFF, %o0
	call	syscall_trace_enter
	 sra	%g1, 0, %o1
	ba,pt	%xcc, 1b
	 mov	%o0, %g1

5:	mov	%g1, %l4
	call	syscall_enter_from_user_mode
	 add	%sp, PTREGS_OFF, %o0
	ba,pt	%xcc, 6b
	 mov	%l4, %g1
SYM_FUNC_END(do_syscall)

/*
 * All of pt_regs but TSTATE, which is left in %l0, and without its window
 * number in %g1: that is known last. Begins at trap level 0 with interrupts
 * off, ends at 1 with alternate globals. %g6 is the kernel's own and stays: the
 * task may have moved to another CPU.
 */
.macro RESTORE_REGS globals:vararg
	ldx	[%sp + PTREGS_OFF + PT_tstate], %l0
	ldx	[%sp + PTREGS_OFF + PT_tpc], %l1
	ldx	[%sp + PTREGS_OFF + PT_tnpc], %l2
	lduw	[%sp + PTREGS_OFF + PT_y], %l3
	.irp	n, \globals
	ldx	[%sp + UREG(\n)], %g\n
	.endr
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%sp + UREG(8 + \n)], %i\n
	.endr
	wr	%l3, 0, %y
	wrpr	%g0, PSTATE_TRAP, %pstate
	wrpr	%g0, 1, %tl
	wrpr	%l1, 0, %tpc
	wrpr	%l2, 0, %tnpc
	andn	%l0, TSTATE_CWP, %g1
.endm

/*
 * Every return to user mode, at trap level 0 with interrupts off. The innermost
 * user window is still in the CPU or, if the kernel needed its room, alone in
 * the task's buffer; those before it are in the CPU or on the user's stack. If
 * there are others in the buffer, they go to that first. Asked at trap level 1:
 * until then an NMI may come, and push windows out. The kernel's first window,
 * which the program's next call takes, is left clean.
 */
SYM_FUNC_START(rtrap_user)
	RESTORE_REGS 1, 2, 3, 4, 5, 6, 7
	ldx	[%g7 + PCPU_current_task], %g3
	add	%g3, TASK_windows, %g5
	ldx	[%g3 + TASK_next_window], %g4
	rdpr	%otherwin, %g2
	brz,pn	%g2, 2f
	 sub	%g4, %g5, %g4
	brnz,pn	%g4, 3f
	 nop
	CLEAR_WINDOW
	wrpr	%g2, 0, %cleanwin
	wrpr	%g2, 0, %canrestore
	wrpr	%g0, 0, %otherwin
	restore
1:	wrpr	%g0, WSTATE_USER, %wstate
	rdpr	%cwp, %g2
	or	%g1, %g2, %g1
	wrpr	%g1, 0, %tstate
	retry

2:	cmp	%g4, SIZEOF_user_window
	bne,pn	%xcc, 3f
	 nop
	stx	%g5, [%g3 + TASK_next_window]
	CLEAR_WINDOW
	wrpr	%g0, 1, %cleanwin
	wrpr	%g0, 1, %canrestore
	restore
	wrpr	%g0, NWINDOWS - 2, %cansave
	WINDOW	ldx, %g5
	ba,a,pt	%xcc, 1b

3:	mov	%g7, %l0
	wrpr	%g0, PSTATE_KERNEL, %pstate
	mov	%l0, %g6
	wrpr	%g0, 0, %tl
	call	save_user_windows
	 add	%sp, PTREGS_OFF, %o0
	ba,a,pt	%xcc, rtrap_user
SYM_FUNC_END(rtrap_user)

/*
 * At trap level 0 with interrupts off. If they were off in what was
 * interrupted, nothing has moved to another CPU, and %g6 may be what an NMI
 * found in rtrap_user: a program's.
 */
SYM_FUNC_START(rtrap_kernel)
	ldx	[%sp + PTREGS_OFF + PT_tstate], %l0
	andcc	%l0, TSTATE_IE, %g0
	be,a,pn	%xcc, 1f
	 ldx	[%sp + UREG(6)], %g6
1:	RESTORE_REGS 1, 2, 3, 4, 5, 7
	restore
	rdpr	%cwp, %g2
	or	%g1, %g2, %g1
	wrpr	%g1, 0, %tstate
	retry
SYM_FUNC_END(rtrap_kernel)

/*
 * With the MMU globals, at any trap level. The direct map's part that lies
 * around %g1, unless RAM ends before.
 */
SYM_FUNC_START(itlb_miss_kernel)
	cmp	%g1, %g4
	bgeu,pn	%xcc, itlb_fault
	 srlx	%g1, DIRECT_MAP_SHIFT, %g1
	sllx	%g1, DIRECT_MAP_SHIFT, %g1
	xor	%g1, %g5, %g1
	stxa	%g1, [%g0] ASI_ITLB_DATA_IN
	retry
SYM_FUNC_END(itlb_miss_kernel)

/* The same for data. Its own loads are physical, so it cannot miss itself. */
SYM_FUNC_START(dtlb_miss_kernel)
	cmp	%g1, %g4
	bgeu,pn	%xcc, dtlb_fault
	 sllx	%g1, 64 - PAGE_OFFSET_SHIFT, %g2
	srlx	%g2, 64 - PAGE_OFFSET_SHIFT + DIRECT_MAP_SHIFT, %g2
	sllx	%g2, 3, %g2
	ldxa	[%g7 + %g2] ASI_PHYS_USE_EC, %g2
	brnz,pn	%g2, 1f
	 srlx	%g1, DIRECT_MAP_SHIFT, %g3
	sllx	%g3, DIRECT_MAP_SHIFT, %g3
	xor	%g3, %g5, %g3
	stxa	%g3, [%g0] ASI_DTLB_DATA_IN
	retry

	/* Split into small pages; those left out guard stacks. */
1:	sllx	%g1, 64 - DIRECT_MAP_SHIFT, %g3
	srlx	%g3, 64 - DIRECT_MAP_SHIFT + PAGE_SHIFT, %g3
	sllx	%g3, 3, %g3
	ldxa	[%g2 + %g3] ASI_PHYS_USE_EC, %g3
	brgez,pn %g3, stack_overflow
	 nop
	stxa	%g3, [%g0] ASI_DTLB_DATA_IN
	retry
SYM_FUNC_END(dtlb_miss_kernel)

/* No translation, or one that forbids it: page faults. */
SYM_FUNC_START(itlb_fault)
	wrpr	%g0, PSTATE_TRAP, %pstate
	rdpr	%tl, %g3
	cmp	%g3, 1
	bne,pn	%xcc, bad_trap_tl1
	 mov	TLB_TAG_ACCESS, %g2
	ldxa	[%g2] ASI_IMMU, %g2
	sethi	%lm(do_fault_exec), %g1
	ba,pt	%xcc, etrap
	 or	%g1, %lo(do_fault_exec), %g1
SYM_FUNC_END(itlb_fault)

.macro DATA_FAULT handler
	rdpr	%tl, %g1
	cmp	%g1, 1
	bne,pn	%xcc, window_trap
	 nop
	wrpr	%g0, PSTATE_TRAP, %pstate
	mov	TLB_TAG_ACCESS, %g2
	ldxa	[%g2] ASI_DMMU, %g2
	sethi	%lm(\handler), %g1
	ba,pt	%xcc, etrap
	 or	%g1, %lo(\handler), %g1
.endm

SYM_FUNC_START(dtlb_fault)
	DATA_FAULT do_fault_data
SYM_FUNC_END(dtlb_fault)

SYM_FUNC_START(dtlb_prot_fault)
	DATA_FAULT do_fault_write
SYM_FUNC_END(dtlb_prot_fault)

/*
 * Above trap level 1: a window's address is not mapped, not the user's or not
 * aligned. If a program's own spill or fill trapped, its save or restore is
 * what is served and then done again. If a spill for the kernel did, the rest
 * of its vector knows where else to put the window; until then %g1 to %g4 are
 * those of what it spills for. Anything else is a bug.
 */
SYM_FUNC_START(window_trap)
	wrpr	%g0, PSTATE_TRAP, %pstate
	TRAPPED_VECTOR %g6, %g5
	andn	%g6, VECTORS_TL1, %g5
	cmp	%g5, VECTOR_SPILL_OTHER
	bne,pt	%xcc, 1f
	 rdpr	%tpc, %g5
	or	%g5, (1 << VECTOR_SHIFT) - 4, %g5
	wrpr	%g5, 0, %tnpc
	done

1:	rdpr	%tl, %g3
	cmp	%g3, 2
	bne,pn	%xcc, bad_trap_tl1
	 rdpr	%tt, %g3
	LOAD_LOW do_fault_write, %g1
	cmp	%g6, VECTOR_SPILL_USER
	be,pt	%xcc, 2f
	 cmp	%g6, VECTOR_FILL_USER
	bne,pn	%xcc, bad_trap_tl1
	 nop
	LOAD_LOW do_fault_read, %g1
2:	cmp	%g3, TT_PRIVILEGE
	bne,pt	%xcc, 3f
	 cmp	%g3, TT_UNALIGNED
	LOAD_LOW do_fault_privilege, %g1
3:	bne,pt	%xcc, 4f
	 mov	TLB_TAG_ACCESS, %g2
	LOAD_LOW do_mna, %g1
4:	ldxa	[%g2] ASI_DMMU, %g2
	wrpr	%g0, 1, %tl
	rdpr	%tstate, %g3
	and	%g3, TSTATE_CWP, %g3
	wrpr	%g3, 0, %cwp
	ba,a,pt	%xcc, etrap
SYM_FUNC_END(window_trap)

/*
 * The guard page below a kernel stack was touched: by a function, by the spill
 * of a window that was left for later, or by etrap on behalf of another trap.
 * What is reported is trap level 1's: its window is found again, and CANRESTORE
 * with it if etrap had a new one already.
 */
SYM_FUNC_START(stack_overflow)
	/* A program, or what moves its windows, has no business there. */
	rdpr	%tstate, %g2
	andcc	%g2, TSTATE_PRIV, %g0
	be,pn	%xcc, dtlb_fault
	 nop
	TRAPPED_VECTOR %g2, %g3
	cmp	%g2, VECTOR_SPILL_USER
	be,pn	%xcc, dtlb_fault
	 cmp	%g2, VECTOR_FILL_USER
	be,pn	%xcc, dtlb_fault
	 andn	%g2, VECTORS_TL1, %g2
	cmp	%g2, VECTOR_SPILL_OTHER
	be,pn	%xcc, dtlb_fault
	 nop
	wrpr	%g0, PSTATE_TRAP, %pstate
	wrpr	%g0, 1, %tl
	rdpr	%tstate, %g1
	rdpr	%cwp, %g2
	and	%g1, TSTATE_CWP, %g1
	sub	%g2, %g1, %g2
	and	%g2, NWINDOWS - 1, %g2
	cmp	%g2, 1
	be,a,pn	%xcc, 1f
	 restore
	wrpr	%g1, 0, %cwp
1:	LOAD_LOW stack_overflow_message, %g2
	ba,a,pt	%xcc, trap_panic
SYM_FUNC_END(stack_overflow)

/* Entry code itself has failed. */
SYM_FUNC_START(bad_trap_tl1)
	wrpr	%g0, PSTATE_TRAP, %pstate
	LOAD_LOW bad_trap_message, %g2
	ba,a,pt	%xcc, trap_panic
SYM_FUNC_END(bad_trap_tl1)

/*
 * No window can be saved, so nothing is called: the host hears of it from
 * right here, and finds the windows in the CPU. %g2 = the low half of the
 * message's address.
 */
SYM_FUNC_START(trap_panic)
	KERNEL_ADDRESS %g2, %g3
	LOAD_LOW trap_panic_regs, %g1
	KERNEL_ADDRESS %g1, %g3
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%o\n, [%g1 + PT_u_regs + 8 * (8 + \n)]
	.endr
	rdpr	%tstate, %g3
	stx	%g3, [%g1 + PT_tstate]
	rdpr	%tpc, %g3
	stx	%g3, [%g1 + PT_tpc]
	rdpr	%tnpc, %g3
	stx	%g3, [%g1 + PT_tnpc]
	rd	%y, %g3
	stw	%g3, [%g1 + PT_y]
	rdpr	%tt, %g3
	sethi	%hi(PT_REGS_MAGIC), %g4
	or	%g3, %g4, %g3
	stw	%g3, [%g1 + PT_magic]
	mov	%g2, %o0
	mov	%g1, %o1
	wrpr	%g0, PSTATE_KERNEL, %pstate
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	stx	%g\n, [%o1 + PT_u_regs + 8 * \n]
	.endr
	mov	HC_PANIC, %g1
	ta	0x7e
	ba,a	.
SYM_FUNC_END(trap_panic)

	.section .rodata, "a"
stack_overflow_message:
	.asciz	"kernel stack overflow"
bad_trap_message:
	.asciz	"trap in entry code"

	.bss
	.balign	8
trap_panic_regs:
	.skip	SIZEOF_pt_regs

	.section .entry.text, "ax"

/*
 * __switch_to_asm(prev, next), with the run queue locked and interrupts off:
 * all windows but this one go where they belong, then stack and current change
 * together, so that __switch_to runs as next in every respect; it returns prev
 * in next's frame. An NMI must not find windows of one stack and the top of
 * another. The user's windows are out already (prepare_arch_switch).
 */
SYM_FUNC_START(__switch_to_asm)
	save	%sp, -STACKFRAME_SZ, %sp
	flushw
	stx	%fp, [%i0 + TASK_ksp]
	stx	%i7, [%i0 + TASK_kpc]
	wrpr	%g0, NMI_LEVEL, %pil
	ldx	[%i1 + TASK_ksp], %fp
	ldx	[%i1 + TASK_kpc], %i7
	sub	%fp, STACKFRAME_SZ, %sp
	stx	%i1, [%g6 + PCPU_current_task]
	ldx	[%i1 + TASK_stack], %l0
	set	THREAD_SIZE, %l1
	add	%l0, %l1, %l0
	stx	%l0, [%g6 + PCPU_top_of_stack]
	wrpr	%g0, 0, %pil
	mov	%i0, %o0
	call	__switch_to
	 mov	%i1, %o1
	ret
	 restore %o0, 0, %o0
SYM_FUNC_END(__switch_to_asm)

/*
 * A new task's first return, with the run queue locked and interrupts off until
 * schedule_tail: %o0 = the task that ran before; %l0 = a kernel thread's
 * function and %l1 its argument, or 0. A kernel thread comes back from its
 * function only as the program that it has become. %sp is as etrap would have
 * left it.
 */
SYM_FUNC_START(ret_from_fork)
	call	schedule_tail
	 nop
	brz,pt	%l0, 1f
	 nop
	jmpl	%l0, %o7
	 mov	%l1, %o0
	stx	%g0, [%sp + UREG(UREG_I0)]
1:	call	syscall_exit_to_user_mode
	 add	%sp, PTREGS_OFF, %o0
	ba,a,pt	%xcc, rtrap_user
SYM_FUNC_END(ret_from_fork)
