/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of user space that differ between ports. */
#ifndef _UAPI_ASM_POSIX_TYPES_H
#define _UAPI_ASM_POSIX_TYPES_H

typedef long __kernel_suseconds_t;

#endif
