/* SPDX-License-Identifier: GPL-2.0-only */
/* Error numbers: 1 to 34 are the same everywhere, the rest asm/errno.h's. */
#ifndef _LINUX_ERRNO_H
#define _LINUX_ERRNO_H

#define EPERM		1
#define ENOENT		2
#define ESRCH		3
#define EINTR		4
#define EIO		5
#define ENXIO		6
#define E2BIG		7
#define ENOEXEC		8
#define EBADF		9
#define ECHILD		10
#define EAGAIN		11
#define ENOMEM		12
#define EACCES		13
#define EFAULT		14
#define ENOTBLK		15
#define EBUSY		16
#define EEXIST		17
#define EXDEV		18
#define ENODEV		19
#define ENOTDIR		20
#define EISDIR		21
#define EINVAL		22
#define ENFILE		23
#define EMFILE		24
#define ENOTTY		25
#define ETXTBSY		26
#define EFBIG		27
#define ENOSPC		28
#define ESPIPE		29
#define EROFS		30
#define EMLINK		31
#define EPIPE		32
#define EDOM		33
#define ERANGE		34

#define EWOULDBLOCK	EAGAIN

/* Never seen by user space: what an interrupted system call asks for. */
#define ERESTARTSYS		512	/* as SA_RESTART says */
#define ERESTARTNOINTR		513	/* again in any case */
#define ERESTARTNOHAND		514	/* again if there is no handler */
#define ENOIOCTLCMD		515	/* this driver has no such ioctl */
#define ERESTART_RESTARTBLOCK	516	/* by restart_syscall */

#include <asm/errno.h>

#define EFSCORRUPTED	EUCLEAN

#endif
