/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that only SPARC has like this. */
#include <linux/syscalls.h>

long sys_clone(unsigned long flags, unsigned long newsp,
	       unsigned long parent_tid, unsigned long child_tid,
	       unsigned long tls);

/* Here the thread pointer comes before the child's number. */
SYSCALL_DEFINE5(sparc_clone, unsigned long, flags, unsigned long, newsp,
		unsigned long, parent_tid, unsigned long, tls,
		unsigned long, child_tid)
{
	return sys_clone(flags, newsp, parent_tid, child_tid, tls);
}
