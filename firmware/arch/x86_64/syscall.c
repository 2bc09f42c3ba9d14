/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: from the number to the function. */
#include <linux/kernel.h>
#include <linux/entry-common.h>
#include <linux/irqflags.h>
#include <linux/syscalls.h>
#include <asm/proto.h>
#include <asm/unistd.h>

typedef long (*sys_call_ptr_t)(unsigned long, unsigned long, unsigned long,
			       unsigned long, unsigned long, unsigned long);

/* Registers that a function does not declare are simply not looked at. */
#define __SYSCALL(nr, name)	extern long sys_##name();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <asm/syscalls_64.h>
#pragma GCC diagnostic pop
#undef __SYSCALL

#define __SYSCALL(nr, name)	[nr] = (sys_call_ptr_t)sys_##name,
static const sys_call_ptr_t sys_call_table[NR_syscalls] = {
#include <asm/syscalls_64.h>
};
#undef __SYSCALL

/* Inline: what a program called is outermost in a graph. */
static inline long do_syscall_x64(struct pt_regs *regs, unsigned int nr)
{
	if (nr >= NR_syscalls || !sys_call_table[nr])
		return -ENOSYS;
	return sys_call_table[nr](regs->di, regs->si, regs->dx, regs->r10,
				  regs->r8, regs->r9);
}

noinstr void do_syscall_64(struct pt_regs *regs, int nr)
{
	local_irq_enable();
	regs->ax = do_syscall_x64(regs, nr);
	syscall_exit_to_user_mode(regs);
}
