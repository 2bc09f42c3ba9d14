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

#endif
#endif
