/* SPDX-License-Identifier: GPL-2.0-only */
/* First instructions of each CPU, and the page table they run on. */
#include <asm/csr.h>
#include <linux/linkage.h>
#include <asm/page.h>
#include <asm/pgtable_types.h>
#include <asm-offsets.h>

	.section .head.text, "ax"

.macro SETUP_TRAPS
	la	gp, __ftrace_text_start
	la	t0, handle_exception
	csrw	stvec, t0
	csrw	sscratch, zero
	li	t0, SR_SUM
	csrs	sstatus, t0
	li	s0, 0
.endm

/* The boot CPU: a0 = boot_params. */
SYM_FUNC_START(riscv64_boot)
	la	tp, pcpu_hot
	la	sp, init_stack
	li	t0, THREAD_SIZE
	add	sp, sp, t0
	sd	sp, PCPU_top_of_stack(tp)
	la	t0, init_task
	sd	t0, PCPU_current_task(tp)
	SETUP_TRAPS
	call	riscv64_start_kernel
	unimp
SYM_FUNC_END(riscv64_boot)

/*
 * Another CPU: a0 = its idle task, a1 = its number. Both the task and its stack
 * can be where the early table maps nothing.
 */
SYM_FUNC_START(secondary_start)
	la	t0, swapper_pg_dir
	slli	t0, t0, 64 - 38
	srli	t0, t0, 64 - 38 + PAGE_SHIFT
	li	t1, SATP_MODE_39
	or	t0, t0, t1
	csrw	satp, t0
	sfence.vma
	ld	sp, TASK_stack(a0)
	li	t0, THREAD_SIZE
	add	sp, sp, t0
	la	t0, __per_cpu_offset
	slli	t1, a1, 3
	add	t0, t0, t1
	ld	t0, (t0)
	la	tp, pcpu_hot
	add	tp, tp, t0
	sd	sp, PCPU_top_of_stack(tp)
	SETUP_TRAPS
	call	start_secondary
	unimp
SYM_FUNC_END(secondary_start)

	.section .data.page_aligned, "aw"
	.balign PAGE_SIZE

/* The first GiB of RAM. */
	.globl	early_pg_dir
early_pg_dir:
	.fill	256, 8, 0
	.dword	_PAGE_KERNEL
	.fill	255, 8, 0

/* With a guard page below. */
	.globl init_stack
	.fill	PAGE_SIZE, 1, 0
init_stack:
	.fill	THREAD_SIZE, 1, 0
