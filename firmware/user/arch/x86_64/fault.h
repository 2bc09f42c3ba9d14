/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: what a program must not do, for bin/fault.c to do. */
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

/* One instruction that returns to the caller, as bytes of data. */
#define ARCH_RETURN_BYTES	{ 0xc3 }

#endif
