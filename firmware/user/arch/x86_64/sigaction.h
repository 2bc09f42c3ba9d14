/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: installing a handler, and where it returns to. */
#ifndef ARCH_SIGACTION_H
#define ARCH_SIGACTION_H

#include <syscall.h>

/* 15 is SYS_rt_sigreturn. */
__asm__(".text\n"
	"__restore_rt:\n\t"
	"movl	$15, %eax\n\t"
	"syscall\n");

void __restore_rt(void);

/* What the kernel reads is what struct sigaction of signal.h is. */
static inline long arch_sigaction(int signal, const struct sigaction *action,
				  struct sigaction *old)
{
	struct sigaction copy;

	if (action) {
		copy = *action;
		copy.sa_flags |= SA_RESTORER;
		copy.sa_restorer = __restore_rt;
		action = &copy;
	}
	return arch_syscall(SYS_rt_sigaction, signal, (long)action, (long)old,
			    sizeof(sigset_t));
}

#endif
