/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: the numbers of system calls, and how a program makes one. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#define SYS_read		0
#define SYS_write		1
#define SYS_close		3
#define SYS_brk			12
#define SYS_dup2		33
#define SYS_nanosleep		35
#define SYS_getpid		39
#define SYS_fork		57
#define SYS_execve		59
#define SYS_wait4		61
#define SYS_kill		62
#define SYS_fcntl		72
#define SYS_chdir		80
#define SYS_getdents64		217
#define SYS_clock_gettime	228
#define SYS_exit_group		231
#define SYS_openat		257
#define SYS_newfstatat		262
#define SYS_unlinkat		263
#define SYS_readlinkat		267
#define SYS_pipe2		293

/* Returns the result, or -errno. */
static inline long arch_syscall(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a" (result)
			 : "0" (nr), "D" (a), "S" (b), "d" (c), "r" (r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* Returns the child's pid, 0 in the child, or -errno. */
static inline long arch_fork(void)
{
	return arch_syscall(SYS_fork, 0, 0, 0, 0);
}

#endif
