/* SPDX-License-Identifier: GPL-2.0-only */
/* mmap(2)'s flags, as x86-64 has them. */
#ifndef _UAPI_ASM_MMAN_H
#define _UAPI_ASM_MMAN_H

#define MAP_ANONYMOUS		0x20
#define MAP_GROWSDOWN		0x0100
#define MAP_FIXED_NOREPLACE	0x100000

#endif
