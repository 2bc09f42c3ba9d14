/* SPDX-License-Identifier: GPL-2.0-only */
/* First instructions of each CPU, and the page tables they run on. */
#include <linux/linkage.h>
#include <asm/msr.h>
#include <asm/page.h>
#include <asm-offsets.h>

#define PHYS(symbol)		(symbol - __START_KERNEL_map)
#define KERNEL_TO_DIRECT	(PAGE_OFFSET - __START_KERNEL_map)

	.section .head.text, "ax"

/*
 * The boot CPU: rdi = boot_params. Stack, task and per-CPU area are the
 * image's own, used through the direct map as everyone else's are.
 */
SYM_FUNC_START(startup_64)
	mov	boot_stack_top(%rip), %rsp
	mov	%rdi, %r12

	mov	boot_pcpu_hot(%rip), %rax
	mov	%rax, %rdx
	shr	$32, %rdx
	mov	$MSR_GS_BASE, %ecx
	wrmsr

	mov	boot_task(%rip), %rax
	mov	%rax, %gs:PCPU_current_task
	mov	%rsp, %gs:PCPU_top_of_stack

	xor	%ebp, %ebp
	mov	%r12, %rdi
	call	x86_64_start_kernel
	ud2
SYM_FUNC_END(startup_64)

/*
 * Another CPU: rdi = its idle task, rsi = its number. Both the task and its
 * stack can be where the early tables map nothing.
 */
SYM_FUNC_START(secondary_startup_64)
	movabs	$PHYS(swapper_pg_dir), %rax
	mov	%rax, %cr3
	mov	TASK_stack(%rdi), %rsp
	add	$THREAD_SIZE, %rsp

	mov	$__per_cpu_offset, %rax
	mov	(%rax, %rsi, 8), %rax
	add	$pcpu_hot, %rax
	mov	%rax, %rdx
	shr	$32, %rdx
	mov	$MSR_GS_BASE, %ecx
	wrmsr

	xor	%ebp, %ebp
	call	start_secondary
	ud2
SYM_FUNC_END(secondary_startup_64)

	.section .rodata, "a"
	.balign 8
boot_stack_top:
	.quad	init_stack + THREAD_SIZE + KERNEL_TO_DIRECT
boot_pcpu_hot:
	.quad	pcpu_hot + KERNEL_TO_DIRECT
boot_task:
	.quad	init_task + KERNEL_TO_DIRECT

#define TABLE		0x63		/* present, writable, accessed, dirty */
#define HUGE		0x1e3		/* the same, 2 MiB, global */

	.section .data.page_aligned, "aw"
	.balign PAGE_SIZE

/* Slot 273 holds the direct map, slot 511 the kernel mapping. */
	.globl early_top_pgt
early_top_pgt:
	.fill	273, 8, 0
	.quad	PHYS(early_direct_pud) + TABLE
	.fill	511 - 274, 8, 0
	.quad	PHYS(early_kernel_pud) + TABLE

early_direct_pud:
	.quad	PHYS(early_pmd) + TABLE
	.fill	511, 8, 0

early_kernel_pud:
	.fill	510, 8, 0
	.quad	PHYS(early_pmd) + TABLE
	.quad	0

/* The first GiB of RAM. */
early_pmd:
	.set	i, 0
	.rept	512
	.quad	(i << 21) + HUGE
	.set	i, i + 1
	.endr

/* With a guard page below. */
	.globl init_stack
	.fill	PAGE_SIZE, 1, 0
init_stack:
	.fill	THREAD_SIZE, 1, 0
