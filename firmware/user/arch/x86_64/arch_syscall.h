/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: how a program makes a system call. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#ifndef __ASSEMBLER__

/* Returns the result, or -errno. */
static inline long arch_syscall6(long nr, long a, long b, long c, long d,
				 long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a" (result)
			 : "0" (nr), "D" (a), "S" (b), "d" (c), "r" (r10),
			   "r" (r8), "r" (r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The restorer is in the structure, too. */
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

	__asm__("movq %%fs:0, %0" : "=r" (pointer));
	return pointer;
}

/* Returns the child's pid, 0 in the child, or -errno. */
static inline long arch_fork(void)
{
	return arch_syscall6(SYS_fork, 0, 0, 0, 0, 0, 0);
}

#endif
#endif
