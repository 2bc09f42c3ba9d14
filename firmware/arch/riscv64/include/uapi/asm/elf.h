/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ELF files are programs for this machine. */
#ifndef _UAPI_ASM_ELF_H
#define _UAPI_ASM_ELF_H

#define ELF_ARCH	243	/* RISC-V */
/* Linux names no platform. */
#define ELF_HWCAP	0x112dUL	/* a bit for each letter of IMAFDC */

#endif
