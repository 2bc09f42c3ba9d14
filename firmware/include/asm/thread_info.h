/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits of task_struct.thread_info_flags: work before returning to user mode. */
#ifndef _ASM_THREAD_INFO_H
#define _ASM_THREAD_INFO_H

#define TIF_SIGPENDING		2
#define TIF_NEED_RESCHED	3
#define TIF_UPROBE		12	/* a breakpoint was hit */

#define _TIF_SIGPENDING		(1UL << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED	(1UL << TIF_NEED_RESCHED)
#define _TIF_UPROBE		(1UL << TIF_UPROBE)

#define EXIT_TO_USER_MODE_WORK \
	(_TIF_SIGPENDING | _TIF_NEED_RESCHED | _TIF_UPROBE)

#endif
