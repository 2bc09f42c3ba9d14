/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: what a program must not do, for fault.c to do. */
#ifndef ARCH_FAULT_H
#define ARCH_FAULT_H

/* The direct map: the first byte of RAM, as the kernel sees it. */
#define ARCH_KERNEL_ADDRESS	0xffff888000000000UL

static inline void arch_privileged(void)
{
	__asm__ volatile("cli");
}

/* Port 0xe0 is the board's host call (docs/board.md); 3 is HC_POWER_OFF. */
static inline void arch_host_call(void)
{
	__asm__ volatile("outl %%eax, $0xe0" : : "a" (3), "D" (0));
}

static inline void arch_divide_by_zero(void)
{
	__asm__ volatile("xorl %%edx, %%edx\n\t"
			 "idivl %%edx"
			 : : "a" (1) : "edx", "cc");
}

static inline void arch_undefined(void)
{
	__asm__ volatile("ud2");
}

static inline void arch_breakpoint(void)
{
	__asm__ volatile("int3");
}

/* Calls with the stack somewhere else; comes back only if that is one. */
static inline void arch_call_on(unsigned long stack, void (*function)(void))
{
	unsigned long sp;

	__asm__ volatile("mov %%rsp, %0\n\t"
			 "mov %1, %%rsp\n\t"
			 "call *%2\n\t"
			 "mov %0, %%rsp"
			 : "=&b" (sp) : "r" (stack), "r" (function)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
			   "r10", "r11", "memory", "cc");
}

/* The same for a system call, of which the stack is no business. */
static inline long arch_syscall_on(unsigned long stack, long nr, long a,
				   long b, long c)
{
	unsigned long sp;
	long ret;

	__asm__ volatile("mov %%rsp, %0\n\t"
			 "mov %2, %%rsp\n\t"
			 "syscall\n\t"
			 "mov %0, %%rsp"
			 : "=&b" (sp), "=a" (ret)
			 : "r" (stack), "1" (nr), "D" (a), "S" (b), "d" (c)
			 : "rcx", "r11", "memory", "cc");
	return ret;
}

/* One instruction that returns to the caller, as bytes of data. */
#define ARCH_RETURN_BYTES	{ 0xc3 }

#endif
