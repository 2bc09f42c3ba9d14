/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: the numbers of system calls, and how a program makes one. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

/* stat, fstat and lstat are those of struct stat64. */
#define SYS_exit		1
#define SYS_fork		2
#define SYS_read		3
#define SYS_write		4
#define SYS_open		5
#define SYS_close		6
#define SYS_wait4		7
#define SYS_chdir		12
#define SYS_brk			17
#define SYS_lseek		19
#define SYS_getpid		20
#define SYS_getuid		24
#define SYS_alarm		27
#define SYS_sigaltstack		28
#define SYS_pause		29
#define SYS_access		33
#define SYS_sync		36
#define SYS_kill		37
#define SYS_sendfile		39
#define SYS_dup			41
#define SYS_times		43
#define SYS_umount2		45
#define SYS_getgid		47
#define SYS_geteuid		49
#define SYS_getegid		50
#define SYS_ioctl		54
#define SYS_reboot		55
#define SYS_execve		59
#define SYS_umask		60
#define SYS_chroot		61
#define SYS_fstat		63
#define SYS_msync		65
#define SYS_vfork		66
#define SYS_pread64		67
#define SYS_pwrite64		68
#define SYS_mmap		71
#define SYS_munmap		73
#define SYS_mprotect		74
#define SYS_madvise		75
#define SYS_setitimer		83
#define SYS_getitimer		86
#define SYS_sethostname		88
#define SYS_dup2		90
#define SYS_fcntl		92
#define SYS_select		93
#define SYS_fsync		95
#define SYS_setpriority		96
#define SYS_getpriority		100
#define SYS_rt_sigreturn	101
#define SYS_rt_sigaction	102
#define SYS_rt_sigprocmask	103
#define SYS_rt_sigpending	104
#define SYS_rt_sigtimedwait	105
#define SYS_rt_sigqueueinfo	106
#define SYS_rt_sigsuspend	107
#define SYS_gettimeofday	116
#define SYS_getrusage		117
#define SYS_getcwd		119
#define SYS_readv		120
#define SYS_writev		121
#define SYS_fchown		123
#define SYS_fchmod		124
#define SYS_truncate		129
#define SYS_ftruncate		130
#define SYS_flock		131
#define SYS_lstat		132
#define SYS_stat		139
#define SYS_futex		142
#define SYS_gettid		143
#define SYS_getrlimit		144
#define SYS_setrlimit		145
#define SYS_prctl		147
#define SYS_poll		153
#define SYS_getdents64		154
#define SYS_statfs		157
#define SYS_fstatfs		158
#define SYS_set_tid_address	166
#define SYS_mount		167
#define SYS_setsid		175
#define SYS_fchdir		176
#define SYS_setpgid		185
#define SYS_tkill		187
#define SYS_exit_group		188
#define SYS_uname		189
#define SYS_init_module		190
#define SYS_getppid		197
#define SYS_syslog		207
#define SYS_tgkill		211
#define SYS_sysinfo		214
#define SYS_clone		217
#define SYS_delete_module	222
#define SYS_getpgid		224
#define SYS_sched_setparam	241
#define SYS_sched_getparam	242
#define SYS_sched_setscheduler	243
#define SYS_sched_getscheduler	244
#define SYS_sched_yield		245
#define SYS_sched_get_priority_max	246
#define SYS_sched_get_priority_min	247
#define SYS_sched_rr_get_interval	248
#define SYS_nanosleep		249
#define SYS_mremap		250
#define SYS_getsid		252
#define SYS_fdatasync		253
#define SYS_sync_file_range	255
#define SYS_clock_settime	256
#define SYS_clock_gettime	257
#define SYS_clock_getres	258
#define SYS_clock_nanosleep	259
#define SYS_sched_getaffinity	260
#define SYS_sched_setaffinity	261
#define SYS_timer_settime	262
#define SYS_timer_gettime	263
#define SYS_timer_getoverrun	264
#define SYS_timer_delete	265
#define SYS_timer_create	266
#define SYS_waitid		279
#define SYS_openat		284
#define SYS_mkdirat		285
#define SYS_mknodat		286
#define SYS_fchownat		287
#define SYS_newfstatat		289
#define SYS_unlinkat		290
#define SYS_renameat		291
#define SYS_linkat		292
#define SYS_symlinkat		293
#define SYS_readlinkat		294
#define SYS_fchmodat		295
#define SYS_faccessat		296
#define SYS_pselect6		297
#define SYS_ppoll		298
#define SYS_set_robust_list	300
#define SYS_getcpu		308
#define SYS_utimensat		310
#define SYS_timerfd_create	312
#define SYS_timerfd_settime	315
#define SYS_timerfd_gettime	316
#define SYS_eventfd2		318
#define SYS_dup3		320
#define SYS_pipe2		321
#define SYS_rt_tgsigqueueinfo	326
#define SYS_prlimit64		331
#define SYS_syncfs		335
#define SYS_finit_module	342
#define SYS_sched_setattr	343
#define SYS_sched_getattr	344
#define SYS_renameat2		345
#define SYS_getrandom		347

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

/* The same with six arguments. */
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
