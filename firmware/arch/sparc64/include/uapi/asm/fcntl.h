/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of open()'s flags on SPARC. */
#ifndef _UAPI_ASM_FCNTL_H
#define _UAPI_ASM_FCNTL_H

#define O_APPEND	0x0008
#define O_CREAT		0x0200
#define O_TRUNC		0x0400
#define O_EXCL		0x0800
#define O_DSYNC		0x2000
#define O_NONBLOCK	0x4000
#define O_NOCTTY	0x8000
#define O_DIRECTORY	0x10000
#define O_NOFOLLOW	0x20000
#define O_LARGEFILE	0x40000
#define O_DIRECT	0x100000
#define O_CLOEXEC	0x400000
#define __O_SYNC	0x800000
#define O_PATH		0x1000000

#endif
