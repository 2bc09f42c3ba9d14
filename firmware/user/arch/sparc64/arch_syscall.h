/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: how a program makes a system call. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#ifndef __ASSEMBLER__

/* Returns the result, or -errno: the carry says that it is an error. */
static inline long arch_syscall6(long nr, long a, long b, long c, long d,
				 long e, long f)
{
	register long g1 __asm__("g1") = nr;
	register long o0 __asm__("o0") = a;
	register long o1 __asm__("o1") = b;
	register long o2 __asm__("o2") = c;
	register long o3 __asm__("o3") = d;
	register long o4 __asm__("o4") = e;
	register long o5 __asm__("o5") = f;

	__asm__ volatile("ta	0x6d\n\t"
			 "bcs,a,pn %%xcc, 1f\n\t"
			 " neg	%0\n"
			 "1:"
			 : "+r" (o0), "+r" (o1)
			 : "r" (g1), "r" (o2), "r" (o3), "r" (o4), "r" (o5)
			 : "cc", "memory");
	return o0;
}

/* A handler returns to 8 bytes after the restorer's address. */
static inline long arch_sigaction(int signal, const void *new, void *old,
				  void (*restorer)(void))
{
	return arch_syscall6(SYS_rt_sigaction, signal, (long)new, (long)old,
			     (long)restorer - 8, 8, 0);
}

static inline void *arch_thread_pointer(void)
{
	void *pointer;

	__asm__("mov %%g7, %0" : "=r" (pointer));
	return pointer;
}

/* Returns the child's pid, 0 in the child, or -errno. */
static inline long arch_fork(void)
{
	register long g1 __asm__("g1") = SYS_fork;
	register long o0 __asm__("o0");
	register long o1 __asm__("o1");

	/* %o0 is the other's pid for both; %o1 is 1 in the child, else 0. */
	__asm__ volatile("ta	0x6d\n\t"
			 "bcs,a,pn %%xcc, 1f\n\t"
			 " neg	%0\n\t"
			 "movrnz %1, 0, %0\n"
			 "1:"
			 : "=r" (o0), "=r" (o1)
			 : "r" (g1)
			 : "cc", "memory");
	return o0;
}

#endif
#endif
