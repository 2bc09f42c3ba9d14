/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trap table: where the CPU goes for each trap type, 8 instructions for
 * most, 32 for those that are served in place. Its second half is for traps
 * at a trap level above 0, that is, within entry code.
 *
 * Alternate globals: %g7 = pcpu_hot; %g5 and %g6 are window handlers' own,
 * %g1 to %g4 those of the code that the windows trap in.
 * MMU globals: %g4 = end of the direct map, %g5 turns a kernel address into
 * its TLB entry, %g6 = physical address of the page table, %g7 = of the direct
 * map's tables; %g1 to %g3 free.
 */
#include <asm/asi.h>
#include <asm/irq.h>
#include <linux/linkage.h>
#include <asm/pgtable.h>
#include <asm/pstate.h>
#include <asm/windows.h>
#include <asm-offsets.h>

#define VECTOR_INSNS		8
#define WINDOW_VECTOR_INSNS	32

#define WINDOWS_AT_ONCE		4

/* What a vector does not use. */
.macro PAD start, insns=VECTOR_INSNS
	.if	. - \start > 4 * \insns
	.error	"vector too long"
	.endif
	.rept	\insns - (. - \start) / 4
	nop
	.endr
.endm

/* To a C function, given registers and whatever %g2 holds. */
.macro TRAP_TO function
	sethi	%lm(\function), %g1
	ba,pt	%xcc, etrap
	 or	%g1, %lo(\function), %g1
.endm

.macro TRAP function
	TRAP_TO	\function
	.rept	VECTOR_INSNS - 3
	nop
	.endr
.endm

.macro TRAPS n, function
	.rept	\n
	TRAP	\function
	.endr
.endm

/* To code in assembly that does what etrap would. */
.macro TRAP_DIRECT label
	ba,a,pt	%xcc, \label
	.rept	VECTOR_INSNS - 1
	nop
	.endr
.endm

/* Level 15 does not ask for PSTATE.IE: until its handler is done, PIL masks it. */
.macro TRAP_NMI function
	wrpr	%g0, NMI_LEVEL, %pil
	TRAP_TO	\function
	.rept	VECTOR_INSNS - 4
	nop
	.endr
.endm

/* What the MMU traps for: with its globals, and with an address to pass on. */
.macro MMU_TRAP function, asi
	wrpr	%g0, PSTATE_TRAP, %pstate
	mov	TLB_TAG_ACCESS, %g2
	ldxa	[%g2] \asi, %g2
	sethi	%lm(\function), %g1
	ba,pt	%xcc, etrap
	 or	%g1, %lo(\function), %g1
	.rept	VECTOR_INSNS - 6
	nop
	.endr
.endm

/* Above trap level 0, where no C function can be called. */
.macro TRAPS_TL1 n, handler
	.rept	\n
	TRAP_DIRECT \handler
	.endr
.endm

/* No program shall see what the kernel had in a window. */
.macro CLEAN_WINDOW
98:	rdpr	%cleanwin, %l0
	add	%l0, 1, %l0
	wrpr	%l0, 0, %cleanwin
	CLEAR_WINDOW
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/* The window after this one is made the current one; before it, if \op is sub. */
.macro NEXT_WINDOW op
	rdpr	%cwp, %g5
	\op	%g5, 1, %g5
	and	%g5, NWINDOWS - 1, %g5
	wrpr	%g5, 0, %cwp
.endm

/*
 * Windows of the kernel's, several at once: a trap costs more than they do. A
 * miss is served at the next trap level, and only a guard page ends it
 * (stack_overflow). There are as many to spill: CANSAVE is 0 for a save, and
 * flushw wants all out.
 */
.macro SPILL_KERNEL
98:	WINDOW	stx, %sp+STACK_BIAS
	NEXT_WINDOW add
	rdpr	%cansave, %g5
	cmp	%g5, WINDOWS_AT_ONCE - 1
	blu,pt	%xcc, 98b
	 saved
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/* Up to the first one on the stack: what is before it is not the kernel's. */
.macro FILL_KERNEL
98:	WINDOW	ldx, %sp+STACK_BIAS
	restored
	ldx	[%g7 + PCPU_top_of_stack], %g5
	sub	%g5, %sp, %g5
	cmp	%g5, TRAP_FRAME_SZ + STACK_BIAS
	bleu,pn	%xcc, 97f
	 rdpr	%canrestore, %g6
	NEXT_WINDOW sub
	cmp	%g6, WINDOWS_AT_ONCE
	blu,pt	%xcc, 98b
	 nop
97:	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/*
 * A program's own save (FILL_USER: restore), from trap level 0. What cannot be
 * served here leads to window_trap. The interrupted program's %asi comes back
 * with TSTATE.
 */
.macro SPILL_USER
98:	wr	%g0, ASI_AIUP, %asi
	WINDOW	stxa, %sp+STACK_BIAS
	rdpr	%cleanwin, %g5
	cmp	%g5, NWINDOWS - 1
	bne,pn	%xcc, spill_unclean
	 saved
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

.macro FILL_USER
98:	wr	%g0, ASI_AIUP, %asi
	WINDOW	ldxa, %sp+STACK_BIAS
	restored
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/*
 * A user window that the kernel needs the room of. It goes where the program
 * would have put it, but for the innermost, the last: that stays with the
 * task, so that rtrap needs nothing of the user's. It comes back without a
 * trap, and so goes with the one before it. What the stack does not take stays
 * with the task, too, as nobody could serve a fault here: window_trap then has
 * the last instruction executed.
 */
.macro SPILL_OTHER
98:	rdpr	%otherwin, %g5
	cmp	%g5, 1
	be,pn	%xcc, spill_buffer
	 nop
	WINDOW	stxa, %sp+STACK_BIAS
	saved
	cmp	%g5, 2
	bne,pn	%xcc, 97f
	 nop
	NEXT_WINDOW add
	ba,a,pt	%xcc, spill_buffer
97:	retry
	PAD	98b, WINDOW_VECTOR_INSNS - 1
	ba,a,pt	%xcc, spill_buffer
.endm

/* %g1 = a user address and its context: %g3 = its table entry, or \fault. */
.macro USER_PTE fault
	srlx	%g1, USER_BITS, %g2
	brnz,pn	%g2, \fault
	 srlx	%g1, PGDIR_SHIFT, %g2
	sllx	%g2, 3, %g2
	ldxa	[%g6 + %g2] ASI_PHYS_USE_EC, %g3
	brz,pn	%g3, \fault
	 sllx	%g1, 64 - PGDIR_SHIFT, %g2
	srlx	%g2, 64 - (PGDIR_SHIFT - PMD_SHIFT), %g2
	sllx	%g2, 3, %g2
	ldxa	[%g3 + %g2] ASI_PHYS_USE_EC, %g3
	brz,pn	%g3, \fault
	 sllx	%g1, 64 - PMD_SHIFT, %g2
	srlx	%g2, 64 - (PMD_SHIFT - PTE_SHIFT), %g2
	sllx	%g2, 3, %g2
	ldxa	[%g3 + %g2] ASI_PHYS_USE_EC, %g3
	brgez,pn %g3, \fault
.endm

/* What no program's table has; the kernel itself is in every context. */
.macro ITLB_MISS
98:	mov	TLB_TAG_ACCESS, %g1
	ldxa	[%g1] ASI_IMMU, %g1
	brlz,pn	%g1, itlb_miss_kernel
	USER_PTE itlb_fault
	 andcc	%g3, _PAGE_EXEC, %g0
	be,pn	%xcc, itlb_fault
	 nop
	stxa	%g3, [%g0] ASI_ITLB_DATA_IN
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/* Entry code reaches user memory as the user, not by its own context. */
.macro DTLB_MISS
98:	mov	TLB_TAG_ACCESS, %g1
	ldxa	[%g1] ASI_DMMU, %g1
	brlz,pn	%g1, dtlb_miss_kernel
	 sllx	%g1, 64 - PTE_SHIFT, %g2
	brz,pn	%g2, dtlb_fault
	 nop
	USER_PTE dtlb_fault
	 nop
	stxa	%g3, [%g0] ASI_DTLB_DATA_IN
	retry
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

/* A write to what is read-only: forgotten first, it may have changed. */
.macro DTLB_PROT
98:	mov	TLB_TAG_ACCESS, %g1
	ldxa	[%g1] ASI_DMMU, %g1
	srlx	%g1, PTE_SHIFT, %g1
	sllx	%g1, PTE_SHIFT, %g1
	stxa	%g0, [%g1] ASI_DMMU_DEMAP	! DEMAP_PAGE_PRIMARY
	membar	#Sync
	ba,a,pt	%xcc, dtlb_prot_fault
	PAD	98b, WINDOW_VECTOR_INSNS
.endm

	.section .ttable, "ax"
	.balign	0x8000

	.globl	ttable
ttable:
	/* From trap level 0: programs and the kernel's own code. */
	TRAPS	0x08 - 0x00, bad_trap
	MMU_TRAP do_fault_privilege, ASI_IMMU		! 0x08
	TRAPS	0x10 - 0x09, bad_trap
	TRAP	do_illegal_instruction			! 0x10
	TRAP	do_privop
	TRAPS	0x20 - 0x12, bad_trap
	TRAP	do_fpdis				! 0x20
	TRAP	do_fpieee
	TRAP	do_fpother
	TRAP	do_tof
	CLEAN_WINDOW					! 0x24
	TRAP	do_div0					! 0x28
	TRAPS	0x30 - 0x29, bad_trap
	MMU_TRAP do_fault_privilege, ASI_DMMU		! 0x30
	TRAP	bad_trap
	TRAP	do_dae					! 0x32
	TRAP	bad_trap
	TRAPS	3, do_mna				! 0x34
	TRAP	do_privact				! 0x37
	TRAPS	0x41 - 0x38, bad_trap
	TRAP	call_function_interrupt			! 0x41
	TRAP	reschedule_interrupt
	TRAP	spurious_interrupt
	TRAP	block_device_interrupt			! 0x44
	TRAP	host_device_interrupt
	TRAPS	7, spurious_interrupt
	TRAP	upcall_interrupt			! 0x4d
	TRAP	timer_interrupt
	TRAP_NMI do_nmi
	TRAPS	0x64 - 0x50, bad_trap
	ITLB_MISS					! 0x64
	DTLB_MISS					! 0x68
	DTLB_PROT					! 0x6c
	TRAPS	0x80 - 0x70, bad_trap
	SPILL_KERNEL					! 0x80, normal 0
	SPILL_USER					! 0x84, normal 1
	TRAPS	0xa4 - 0x88, bad_trap
	SPILL_OTHER					! 0xa4, other 1
	TRAPS	0xc0 - 0xa8, bad_trap
	FILL_KERNEL					! 0xc0, normal 0
	FILL_USER					! 0xc4, normal 1
	TRAPS	0x101 - 0xc8, bad_trap
	TRAP	do_breakpoint				! 0x101, ta 1
	TRAP	bad_trap
	TRAP	do_flush_windows			! 0x103, ta 3
	TRAPS	0x16d - 0x104, bad_trap
	TRAP_DIRECT do_syscall				! 0x16d
	TRAP	sparc64_get_context			! 0x16e
	TRAP	sparc64_set_context			! 0x16f
	TRAP_DIRECT kprobe_etrap			! 0x170, ta 0x70
	TRAPS	0x173 - 0x171, bad_trap
	TRAP	do_uprobe				! 0x173, ta 0x73
	TRAPS	0x200 - 0x174, bad_trap

	/* From entry code. */
	TRAPS_TL1 0x30, bad_trap_tl1
	TRAPS_TL1 1, window_trap			! 0x30
	TRAPS_TL1 0x34 - 0x31, bad_trap_tl1
	TRAPS_TL1 1, window_trap			! 0x34
	TRAPS_TL1 0x64 - 0x35, bad_trap_tl1
	ITLB_MISS					! 0x64
	DTLB_MISS					! 0x68
	DTLB_PROT					! 0x6c
	TRAPS_TL1 0x80 - 0x70, bad_trap_tl1
	SPILL_KERNEL					! 0x80, normal 0
	TRAPS_TL1 0xa4 - 0x84, bad_trap_tl1
	SPILL_OTHER					! 0xa4, other 1
	TRAPS_TL1 0xc0 - 0xa8, bad_trap_tl1
	FILL_KERNEL					! 0xc0, normal 0
	TRAPS_TL1 0x200 - 0xc4, bad_trap_tl1
	.size	ttable, . - ttable

	.section .entry.text, "ax"

/*
 * The end of SPILL_USER, %g5 = CLEANWIN: a window less to restore makes one more
 * look clean, which may still be as the kernel left it. If there was no room,
 * that is the one between the newest and the oldest, and all others are the
 * program's or clean.
 */
SYM_FUNC_START(spill_unclean)
	rdpr	%cansave, %g6
	cmp	%g6, 1
	bne,a,pn %xcc, 1f
	 sub	%g5, 1, %g5
	NEXT_WINDOW sub
	CLEAR_WINDOW
	mov	NWINDOWS - 1, %g5
1:	wrpr	%g5, 0, %cleanwin
	retry
SYM_FUNC_END(spill_unclean)

/*
 * The oldest user window goes into the task, with the stack it belongs on. From
 * SPILL_OTHER, with alternate globals; uses %g5 and %g6 only.
 */
SYM_FUNC_START(spill_buffer)
	ldx	[%g7 + PCPU_current_task], %g5
	ldx	[%g5 + TASK_next_window], %g6
	WINDOW	stx, %g6
	stx	%sp, [%g6 + WINDOW_sp]
	add	%g6, SIZEOF_user_window, %g6
	stx	%g6, [%g5 + TASK_next_window]
	saved
	retry
SYM_FUNC_END(spill_buffer)
