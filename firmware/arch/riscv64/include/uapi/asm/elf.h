/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ELF files are programs for this machine. */
#ifndef _UAPI_ASM_ELF_H
#define _UAPI_ASM_ELF_H

#define ELF_ARCH	243	/* RISC-V */
#define ELF_PLATFORM	"riscv64"
#define ELF_HWCAP	0UL

#endif
