/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: the numbers of system calls, and how a program makes one. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#define SYS_read		0
#define SYS_write		1
#define SYS_open		2
#define SYS_close		3
#define SYS_stat		4
#define SYS_fstat		5
#define SYS_lstat		6
#define SYS_poll		7
#define SYS_lseek		8
#define SYS_mmap		9
#define SYS_mprotect		10
#define SYS_munmap		11
#define SYS_brk			12
#define SYS_rt_sigaction	13
#define SYS_rt_sigprocmask	14
#define SYS_rt_sigreturn	15
#define SYS_ioctl		16
#define SYS_pread64		17
#define SYS_pwrite64		18
#define SYS_readv		19
#define SYS_writev		20
#define SYS_access		21
#define SYS_select		23
#define SYS_sched_yield		24
#define SYS_mremap		25
#define SYS_msync		26
#define SYS_madvise		28
#define SYS_dup			32
#define SYS_dup2		33
#define SYS_pause		34
#define SYS_nanosleep		35
#define SYS_getitimer		36
#define SYS_alarm		37
#define SYS_setitimer		38
#define SYS_getpid		39
#define SYS_sendfile		40
#define SYS_clone		56
#define SYS_fork		57
#define SYS_vfork		58
#define SYS_execve		59
#define SYS_exit		60
#define SYS_wait4		61
#define SYS_kill		62
#define SYS_uname		63
#define SYS_fcntl		72
#define SYS_flock		73
#define SYS_fsync		74
#define SYS_fdatasync		75
#define SYS_truncate		76
#define SYS_ftruncate		77
#define SYS_getcwd		79
#define SYS_chdir		80
#define SYS_fchdir		81
#define SYS_fchmod		91
#define SYS_fchown		93
#define SYS_umask		95
#define SYS_gettimeofday	96
#define SYS_getrlimit		97
#define SYS_getrusage		98
#define SYS_sysinfo		99
#define SYS_times		100
#define SYS_getuid		102
#define SYS_syslog		103
#define SYS_getgid		104
#define SYS_geteuid		107
#define SYS_getegid		108
#define SYS_setpgid		109
#define SYS_getppid		110
#define SYS_setsid		112
#define SYS_getpgid		121
#define SYS_getsid		124
#define SYS_rt_sigpending	127
#define SYS_rt_sigtimedwait	128
#define SYS_rt_sigqueueinfo	129
#define SYS_rt_sigsuspend	130
#define SYS_sigaltstack		131
#define SYS_statfs		137
#define SYS_fstatfs		138
#define SYS_getpriority		140
#define SYS_setpriority		141
#define SYS_sched_setparam	142
#define SYS_sched_getparam	143
#define SYS_sched_setscheduler	144
#define SYS_sched_getscheduler	145
#define SYS_sched_get_priority_max	146
#define SYS_sched_get_priority_min	147
#define SYS_sched_rr_get_interval	148
#define SYS_prctl		157
#define SYS_setrlimit		160
#define SYS_chroot		161
#define SYS_sync		162
#define SYS_mount		165
#define SYS_umount2		166
#define SYS_reboot		169
#define SYS_sethostname		170
#define SYS_init_module		175
#define SYS_delete_module	176
#define SYS_gettid		186
#define SYS_tkill		200
#define SYS_futex		202
#define SYS_sched_setaffinity	203
#define SYS_sched_getaffinity	204
#define SYS_getdents64		217
#define SYS_set_tid_address	218
#define SYS_timer_create	222
#define SYS_timer_settime	223
#define SYS_timer_gettime	224
#define SYS_timer_getoverrun	225
#define SYS_timer_delete	226
#define SYS_clock_settime	227
#define SYS_clock_gettime	228
#define SYS_clock_getres	229
#define SYS_clock_nanosleep	230
#define SYS_exit_group		231
#define SYS_tgkill		234
#define SYS_waitid		247
#define SYS_openat		257
#define SYS_mkdirat		258
#define SYS_mknodat		259
#define SYS_fchownat		260
#define SYS_newfstatat		262
#define SYS_unlinkat		263
#define SYS_renameat		264
#define SYS_linkat		265
#define SYS_symlinkat		266
#define SYS_readlinkat		267
#define SYS_fchmodat		268
#define SYS_faccessat		269
#define SYS_pselect6		270
#define SYS_ppoll		271
#define SYS_set_robust_list	273
#define SYS_sync_file_range	277
#define SYS_utimensat		280
#define SYS_timerfd_create	283
#define SYS_timerfd_settime	286
#define SYS_timerfd_gettime	287
#define SYS_eventfd2		290
#define SYS_dup3		292
#define SYS_pipe2		293
#define SYS_rt_tgsigqueueinfo	297
#define SYS_prlimit64		302
#define SYS_syncfs		306
#define SYS_getcpu		309
#define SYS_finit_module	313
#define SYS_sched_setattr	314
#define SYS_sched_getattr	315
#define SYS_renameat2		316
#define SYS_getrandom		318

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

/* The same with six arguments. */
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
	return arch_syscall(SYS_rt_sigaction, signal, (long)new, (long)old, 8);
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
	return arch_syscall(SYS_fork, 0, 0, 0, 0);
}

#endif
