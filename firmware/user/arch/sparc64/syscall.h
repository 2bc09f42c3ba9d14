/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: the numbers of system calls, and how a program makes one. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#define SYS_fork		2
#define SYS_read		3
#define SYS_write		4
#define SYS_close		6
#define SYS_wait4		7
#define SYS_chdir		12
#define SYS_brk			17
#define SYS_getpid		20
#define SYS_kill		37
#define SYS_execve		59
#define SYS_dup2		90
#define SYS_fcntl		92
#define SYS_getdents64		154
#define SYS_exit_group		188
#define SYS_nanosleep		249
#define SYS_clock_gettime	257
#define SYS_openat		284
#define SYS_newfstatat		289
#define SYS_unlinkat		290
#define SYS_readlinkat		294
#define SYS_pipe2		321

/* Returns the result, or -errno: the carry says that it is an error. */
static inline long arch_syscall(long nr, long a, long b, long c, long d)
{
	register long g1 __asm__("g1") = nr;
	register long o0 __asm__("o0") = a;
	register long o1 __asm__("o1") = b;
	register long o2 __asm__("o2") = c;
	register long o3 __asm__("o3") = d;

	__asm__ volatile("ta	0x6d\n\t"
			 "bcs,a,pn %%xcc, 1f\n\t"
			 " neg	%0\n"
			 "1:"
			 : "+r" (o0), "+r" (o1)
			 : "r" (g1), "r" (o2), "r" (o3)
			 : "cc", "memory");
	return o0;
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
