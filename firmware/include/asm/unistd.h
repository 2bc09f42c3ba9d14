/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls by number: __NR_NAME, and how many numbers there are. */
#ifndef _ASM_UNISTD_H
#define _ASM_UNISTD_H

#define NR_syscalls	450

#ifndef __ASSEMBLY__

#define __SYSCALL_AGAIN(nr, name)
#define __SYSCALL(nr, name)	__NR_##name = nr,
enum {
#include <asm/syscalls_64.h>
};
#undef __SYSCALL
#undef __SYSCALL_AGAIN

#endif
#endif
