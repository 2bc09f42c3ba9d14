/* SPDX-License-Identifier: GPL-2.0-only */
/* What mmap(2) takes; the values that differ by architecture are asm's. */
#ifndef _UAPI_LINUX_MMAN_H
#define _UAPI_LINUX_MMAN_H

#define PROT_NONE	0x0
#define PROT_READ	0x1
#define PROT_WRITE	0x2
#define PROT_EXEC	0x4

#define MAP_SHARED	0x01
#define MAP_PRIVATE	0x02
#define MAP_TYPE	0x0f
#define MAP_FIXED	0x10
#define MAP_ANONYMOUS	0x20
#define MAP_FIXED_NOREPLACE	0x100000

/* madvise(2) */
#define MADV_NORMAL	0
#define MADV_RANDOM	1
#define MADV_SEQUENTIAL	2
#define MADV_WILLNEED	3
#define MADV_DONTNEED	4

/* msync(2) */
#define MS_ASYNC	1
#define MS_INVALIDATE	2
#define MS_SYNC		4

/* mremap(2) */
#define MREMAP_MAYMOVE	1
#define MREMAP_FIXED	2

#include <asm/mman.h>

#endif
