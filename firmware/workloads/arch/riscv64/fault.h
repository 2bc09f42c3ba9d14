/* SPDX-License-Identifier: GPL-2.0-only */
/* RISC-V: what a program must not do, for fault.c to do. */
#ifndef ARCH_FAULT_H
#define ARCH_FAULT_H

/* The direct map: the first byte of RAM, as the kernel sees it. */
#define ARCH_KERNEL_ADDRESS	0xffffffc000000000UL

static inline void arch_privileged(void)
{
	__asm__ volatile("csrci sstatus, 2");
}

/* An ecall is a system call here; 3 is HC_POWER_OFF to the board, and none. */
static inline void arch_host_call(void)
{
	__asm__ volatile("li a0, 0; li a7, 3; sret" : : : "a0", "a7");
}

/* There is no trap for it: the quotient is -1. */
static inline void arch_divide_by_zero(void)
{
	__asm__ volatile("div a0, a0, zero" : : : "a0");
}

static inline void arch_undefined(void)
{
	__asm__ volatile("unimp");
}

static inline void arch_breakpoint(void)
{
	__asm__ volatile("ebreak");
}

/* Calls with the stack somewhere else; comes back only if that is one. */
static inline void arch_call_on(unsigned long stack, void (*function)(void))
{
	__asm__ volatile("mv s1, sp\n\t"
			 "mv sp, %0\n\t"
			 "jalr %1\n\t"
			 "mv sp, s1"
			 : : "r" (stack), "r" (function)
			 : "s1", "ra", "t0", "t1", "t2", "t3", "t4", "t5",
			   "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
			   "a7", "memory");
}

/* The same for a system call, of which the stack is no business. */
static inline long arch_syscall_on(unsigned long stack, long nr, long a,
				   long b, long c)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = nr;

	__asm__ volatile("mv s1, sp\n\t"
			 "mv sp, %1\n\t"
			 "ecall\n\t"
			 "mv sp, s1"
			 : "+r" (a0)
			 : "r" (stack), "r" (a1), "r" (a2), "r" (a7)
			 : "s1", "memory");
	return a0;
}

/* One instruction that returns to the caller, as bytes of data. */
#define ARCH_RETURN_BYTES	{ 0x82, 0x80 }

#endif
