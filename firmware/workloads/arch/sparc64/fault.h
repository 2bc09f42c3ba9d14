/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: what a program must not do, for fault.c to do. */
#ifndef ARCH_FAULT_H
#define ARCH_FAULT_H

/* The direct map: the first byte of RAM, as the kernel sees it. */
#define ARCH_KERNEL_ADDRESS	0xfffff80000000000UL

static inline void arch_privileged(void)
{
	__asm__ volatile("wrpr %g0, 0, %tl");
}

/* Trap 0x7e is the board's host call (docs/board.md); 3 is HC_POWER_OFF. */
static inline void arch_host_call(void)
{
	register long g1 __asm__("g1") = 3;
	register long o0 __asm__("o0") = 0;

	__asm__ volatile("ta 0x7e" : "+r" (o0) : "r" (g1) : "memory");
}

static inline void arch_divide_by_zero(void)
{
	__asm__ volatile("sdivx %%g1, %%g0, %%g1" : : : "g1");
}

static inline void arch_undefined(void)
{
	__asm__ volatile("illtrap 0");
}

static inline void arch_breakpoint(void)
{
	__asm__ volatile("ta 1");
}

/* Calls with the stack somewhere else; comes back only if that is one. */
static inline void arch_call_on(unsigned long stack, void (*function)(void))
{
	register unsigned long sp __asm__("l0");

	__asm__ volatile("mov %%sp, %0\n\t"
			 "call %2\n\t"
			 " sub %1, 2047, %%sp\n\t"
			 "mov %0, %%sp"
			 : "=&r" (sp) : "r" (stack), "r" (function)
			 : "g1", "g2", "g3", "g4", "g5", "o0", "o1", "o2", "o3",
			   "o4", "o5", "o7", "memory", "cc");
}

/* The same for a system call, of which the stack is no business. */
static inline long arch_syscall_on(unsigned long stack, long nr, long a,
				   long b, long c)
{
	register unsigned long sp __asm__("l0");
	register long g1 __asm__("g1") = nr;
	register long o0 __asm__("o0") = a;
	register long o1 __asm__("o1") = b;
	register long o2 __asm__("o2") = c;

	__asm__ volatile("mov %%sp, %0\n\t"
			 "sub %2, 2047, %%sp\n\t"
			 "ta 0x6d\n\t"
			 "mov %0, %%sp"
			 : "=&r" (sp), "+r" (o0)
			 : "r" (stack), "r" (g1), "r" (o1), "r" (o2)
			 : "memory", "cc");
	return o0;
}

/* One return to the caller and its delay slot, as bytes of data. */
#define ARCH_RETURN_BYTES \
	{ 0x81, 0xc3, 0xe0, 0x08, 0x01, 0x00, 0x00, 0x00 }

#endif
