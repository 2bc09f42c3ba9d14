/* SPDX-License-Identifier: GPL-2.0-only */
/* First instructions of each CPU. */
#include <asm/asi.h>
#include <linux/linkage.h>
#include <asm/page.h>
#include <asm/pgtable_types.h>
#include <asm/pstate.h>
#include <asm-offsets.h>

	.section .head.text, "ax"

/*
 * The boot CPU: %o0 = boot_params. Only what the image holds can be used
 * until the trap table is in place.
 */
SYM_FUNC_START(sparc64_boot)
	mov	%o0, %l0
	setx	pcpu_hot, %g1, %o0
	call	setup_traps
	 nop
	setx	init_task, %g1, %o1
	stx	%o1, [%g6 + PCPU_current_task]
	setx	init_stack + THREAD_SIZE, %g1, %o1
	stx	%o1, [%g6 + PCPU_top_of_stack]
	sub	%o1, STACKFRAME_SZ + STACK_BIAS, %sp
	clr	%fp
	call	sparc64_start_kernel
	 mov	%l0, %o0
	ta	0x7f
SYM_FUNC_END(sparc64_boot)

/* Another CPU: %o0 = its idle task, %o1 = its number. */
SYM_FUNC_START(sparc64_cpu_startup)
	mov	%o0, %l0
	mov	%o1, %l1
	setx	__per_cpu_offset, %g1, %o0
	sllx	%l1, 3, %o1
	ldx	[%o0 + %o1], %o1
	setx	pcpu_hot, %g1, %o0
	call	setup_traps
	 add	%o0, %o1, %o0
	ldx	[%l0 + TASK_stack], %o1
	set	THREAD_SIZE - STACKFRAME_SZ - STACK_BIAS, %o2
	add	%o1, %o2, %sp
	clr	%fp
	mov	%l0, %o0
	call	start_secondary
	 mov	%l1, %o1
	ta	0x7f
SYM_FUNC_END(sparc64_cpu_startup)

/*
 * setup_traps(pcpu_hot): the state in which the trap table expects a CPU. For
 * the boot CPU the direct map is empty yet, but for what reset has mapped;
 * swapper_pg_dir has no pages.
 */
SYM_FUNC_START(setup_traps)
	wrpr	%g0, PSTATE_KERNEL, %pstate
	wrpr	%g0, 0, %pil
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, 0, %otherwin
	wrpr	%g0, NWINDOWS - 2, %cansave
	wrpr	%g0, NWINDOWS - 1, %cleanwin
	wrpr	%g0, WSTATE_KERNEL, %wstate
	wr	%g0, 0, %fprs
	wr	%g0, ASI_AIUP, %asi
	setx	ttable, %g1, %o1
	wrpr	%o1, 0, %tba
	mov	%o0, %g6

	wrpr	%g0, PSTATE_TRAP, %pstate
	mov	%o0, %g7

	setx	PAGE_OFFSET ^ _PAGE_KERNEL_4MB, %o2, %o1
	setx	swapper_pg_dir - PAGE_OFFSET, %o3, %o2
	setx	direct_map_end, %o4, %o3
	setx	direct_map_tables, %o5, %o4
	wrpr	%g0, PSTATE_KERNEL | PSTATE_MG, %pstate
	ldx	[%o3], %g4
	mov	%o1, %g5
	mov	%o2, %g6
	ldx	[%o4], %g7
	wrpr	%g0, PSTATE_KERNEL, %pstate

	mov	PRIMARY_CONTEXT, %o1
	mov	USER_CONTEXT, %o2
	stxa	%o2, [%o1] ASI_DMMU
	membar	#Sync
	retl
	 nop
SYM_FUNC_END(setup_traps)

	.section .data.page_aligned, "aw"
	.balign	PAGE_SIZE

/* With a guard page below. */
	.globl	init_stack
	.skip	PAGE_SIZE
init_stack:
	.skip	THREAD_SIZE
