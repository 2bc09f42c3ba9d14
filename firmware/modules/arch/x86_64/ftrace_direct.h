/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trampolines for direct calls. A call site calls one before its function has
 * done anything: the function's arguments are in registers and must be there
 * again when the trampoline returns, to the function.
 */
#ifndef _FTRACE_DIRECT_H
#define _FTRACE_DIRECT_H

#define __DIRECT_TRAMP(name, function, prepare)				\
	void name(void);						\
	asm("	.pushsection .text, \"ax\", @progbits\n"		\
	    "	.globl	" #name "\n"					\
	    "	.type	" #name ", @function\n"				\
	    #name ":\n"							\
	    "	pushq	%rbp\n"						\
	    "	movq	%rsp, %rbp\n"					\
	    "	pushq	%rdi\n"						\
	    "	pushq	%rsi\n"						\
	    "	pushq	%rdx\n"						\
	    "	pushq	%rcx\n"						\
	    "	pushq	%r8\n"						\
	    "	pushq	%r9\n"						\
	    prepare							\
	    "	call	" #function "\n"				\
	    "	popq	%r9\n"						\
	    "	popq	%r8\n"						\
	    "	popq	%rcx\n"						\
	    "	popq	%rdx\n"						\
	    "	popq	%rsi\n"						\
	    "	popq	%rdi\n"						\
	    "	leave\n"						\
	    "	ret\n"							\
	    "	.size	" #name ", . - " #name "\n"			\
	    "	.popsection\n")

/* Calls a function with the arguments of the traced one. */
#define DIRECT_TRAMP(name, function)	__DIRECT_TRAMP(name, function, "")

/* Calls a function with where the trampoline returns to. */
#define DIRECT_TRAMP_IP(name, function)					\
	__DIRECT_TRAMP(name, function, "	movq	8(%rbp), %rdi\n")

#endif
