/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: from the number to the function. */
#include <linux/entry-common.h>
#include <linux/errno.h>
#include <linux/syscalls.h>

/* Registers that a function does not declare are simply not looked at. */
#define __SYSCALL(nr, name)	extern long sys_##name();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <asm/syscalls_64.h>
__SYSCALL(, ni_syscall)
#pragma GCC diagnostic pop
#undef __SYSCALL

#define __SYSCALL(nr, name)	[nr] = (sys_call_ptr_t)sys_##name,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
const sys_call_ptr_t sys_call_table[NR_syscalls + 1] = {
	[0 ... NR_syscalls] = (sys_call_ptr_t)sys_ni_syscall,
#include <asm/syscalls_64.h>
};
#pragma GCC diagnostic pop
#undef __SYSCALL

/* Not defined as system calls are: it has no events. */
long sys_ni_syscall(void);
long sys_ni_syscall(void)
{
	return -ENOSYS;
}
