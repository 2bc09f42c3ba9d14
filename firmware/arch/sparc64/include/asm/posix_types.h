/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of user space that differ between architectures. */
#ifndef _ASM_POSIX_TYPES_H
#define _ASM_POSIX_TYPES_H

typedef int __kernel_suseconds_t;

#endif
