/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own error numbers, beside those that programs see. */
#ifndef _LINUX_ERRNO_H
#define _LINUX_ERRNO_H

#include <uapi/linux/errno.h>

/* Never seen by user space: what an interrupted system call asks for. */
#define ERESTARTSYS		512	/* as SA_RESTART says */
#define ERESTARTNOINTR		513	/* again in any case */
#define ERESTARTNOHAND		514	/* again if there is no handler */
#define ENOIOCTLCMD		515	/* this driver has no such ioctl */
#define ERESTART_RESTARTBLOCK	516	/* by restart_syscall */

#define EFSCORRUPTED		EUCLEAN

#endif
