/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls by number: SYS_NAME, from the kernel's own table. */
#ifndef SYSCALL_H
#define SYSCALL_H

#define __SYSCALL_AGAIN(nr, name)
#ifdef __ASSEMBLER__
#define __SYSCALL(nr, name)	.set SYS_##name, nr
#include <asm/syscalls_64.h>
#else
#define __SYSCALL(nr, name)	SYS_##name = nr,
enum {
#include <asm/syscalls_64.h>
};
#endif
#undef __SYSCALL
#undef __SYSCALL_AGAIN

/* What programs call otherwise. */
#define SYS_umount2		SYS_umount
#define SYS_stat		SYS_newstat
#define SYS_lstat		SYS_newlstat
#define SYS_fstat		SYS_newfstat
#define SYS_uname		SYS_newuname

#include <arch_syscall.h>

#ifndef __ASSEMBLER__

/* Returns the result, or -errno. */
static inline long arch_syscall(long nr, long a, long b, long c, long d)
{
	return arch_syscall6(nr, a, b, c, d, 0, 0);
}

/*
 * Linux's generic list has only the newest of the calls that do the same. These
 * are the older ones that programs here make, with their results.
 */
#ifdef ARCH_GENERIC_SYSCALLS
#define SYS_renameat		SYS_renameat2	/* the fifth argument is 0 */

static inline long arch_dup2(long from, long to)
{
	return from == to && arch_syscall(SYS_fcntl, from, 1, 0, 0) >= 0 ?
	       to : arch_syscall(SYS_dup3, from, to, 0, 0);
}

static inline long arch_pause(void)
{
	return arch_syscall(SYS_ppoll, 0, 0, 0, 0);
}

/* @timeout: milliseconds; negative: for ever */
static inline long arch_poll(long fds, long count, long timeout)
{
	long time[2] = { timeout / 1000, timeout % 1000 * 1000000 };

	return arch_syscall(SYS_ppoll, fds, count,
			    timeout < 0 ? 0 : (long)time, 0);
}
#else
#define arch_dup2(from, to)	arch_syscall(SYS_dup2, from, to, 0, 0)
#define arch_pause()		arch_syscall(SYS_pause, 0, 0, 0, 0)
#define arch_poll(fds, count, timeout) \
	arch_syscall(SYS_poll, fds, count, timeout, 0)
#endif

#endif
#endif
