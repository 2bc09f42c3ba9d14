/* SPDX-License-Identifier: GPL-2.0-only */
/* Code of the kernel's in each address space: there is none. */
#ifndef _ASM_VDSO_H
#define _ASM_VDSO_H

/* Maps it into a new program's address space; 0 or -errno. */
#define arch_setup_additional_pages(mm)	0

/* What /proc/PID/maps calls a part of it; NULL for any other area. */
#define arch_vma_name(vma)		NULL

/* The auxiliary vector's entry, if any, with a comma behind it. */
#define ARCH_DLINFO
#define ARCH_NR_DLINFO			0

#endif
