/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: installing a handler, and where it returns to. */
#ifndef ARCH_SIGACTION_H
#define ARCH_SIGACTION_H

#include <syscall.h>

/* 101 is SYS_rt_sigreturn. A return goes on 8 bytes after the address. */
__asm__(".section .text\n"
	"	.align	4\n"
	"__restore_rt:\n\t"
	"nop\n\t"
	"nop\n\t"
	"mov	101, %g1\n\t"
	"ta	0x6d\n");

void __restore_rt(void);

static inline long arch_sigaction(int signal, const struct sigaction *action,
				  struct sigaction *old)
{
	return arch_syscall6(SYS_rt_sigaction, signal, (long)action, (long)old,
			     (long)__restore_rt, sizeof(sigset_t), 0);
}

#endif
