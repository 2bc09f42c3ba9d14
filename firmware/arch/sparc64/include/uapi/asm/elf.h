/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ELF files are programs for this machine. */
#ifndef _UAPI_ASM_ELF_H
#define _UAPI_ASM_ELF_H

#define ELF_ARCH	43	/* SPARC V9 */
#define ELF_PLATFORM	"sun4u"

#endif
