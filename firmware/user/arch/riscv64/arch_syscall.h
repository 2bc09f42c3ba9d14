/* SPDX-License-Identifier: GPL-2.0-only */
/* RISC-V: how a program makes a system call. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

/* No system calls but those of Linux's generic list. */
#define ARCH_GENERIC_SYSCALLS

#ifndef __ASSEMBLER__

#include <asm/signal.h>

/* Returns the result, or -errno. */
static inline long arch_syscall6(long nr, long a, long b, long c, long d,
				 long e, long f)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	register long a7 __asm__("a7") = nr;

	__asm__ volatile("ecall"
			 : "+r" (a0)
			 : "r" (a1), "r" (a2), "r" (a3), "r" (a4), "r" (a5),
			   "r" (a7)
			 : "memory");
	return a0;
}

/* Handlers return to the kernel's page of code. */
static inline long arch_sigaction(int signal, const void *new, void *old,
				  void (*restorer)(void))
{
	(void)restorer;
	return arch_syscall6(SYS_rt_sigaction, signal, (long)new, (long)old, 8,
			     0, 0);
}

static inline void *arch_thread_pointer(void)
{
	void *pointer;

	__asm__("mv %0, tp" : "=r" (pointer));
	return pointer;
}

/* Returns the child's pid, 0 in the child, or -errno. */
static inline long arch_fork(void)
{
	return arch_syscall6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
}

#endif
#endif
