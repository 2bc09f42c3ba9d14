/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits of task_struct.thread_info_flags: work before returning to user mode. */
#ifndef _ASM_THREAD_INFO_H
#define _ASM_THREAD_INFO_H

#define TIF_SIGPENDING		2
#define TIF_NEED_RESCHED	3

#define _TIF_SIGPENDING		(1UL << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED	(1UL << TIF_NEED_RESCHED)

#define EXIT_TO_USER_MODE_WORK	(_TIF_SIGPENDING | _TIF_NEED_RESCHED)

#endif
