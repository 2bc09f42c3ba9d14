/* SPDX-License-Identifier: GPL-2.0-only */
/* What mmap(2) takes; the values that differ by architecture are asm's. */
#ifndef _LINUX_MMAN_H
#define _LINUX_MMAN_H

#define PROT_NONE	0x0
#define PROT_READ	0x1
#define PROT_WRITE	0x2
#define PROT_EXEC	0x4

#define MAP_SHARED	0x01
#define MAP_PRIVATE	0x02
#define MAP_TYPE	0x0f
#define MAP_FIXED	0x10

#include <asm/mman.h>

#endif
