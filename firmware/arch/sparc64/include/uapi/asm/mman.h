/* SPDX-License-Identifier: GPL-2.0-only */
/* mmap(2)'s flags, as SPARC has them. */
#ifndef _UAPI_ASM_MMAN_H
#define _UAPI_ASM_MMAN_H

#define MAP_GROWSDOWN	0x0200

#endif
