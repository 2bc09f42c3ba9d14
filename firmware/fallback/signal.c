/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs get no handler called: SIGSEGV ends those that have one. */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include "fallback.h"

long sys_rt_sigreturn(void);

__fallback int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)
{
	port_lacks();
	return -EFAULT;
}

__fallback long sys_rt_sigreturn(void)
{
	port_lacks();
	force_sig(SIGSEGV);
	return 0;
}
