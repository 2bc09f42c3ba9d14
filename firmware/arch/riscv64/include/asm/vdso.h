/* SPDX-License-Identifier: GPL-2.0-only */
/* Code of the kernel's in each address space: an ELF image of one page. */
#ifndef _ASM_VDSO_H
#define _ASM_VDSO_H

/* Where in it handlers return to (vdso.lds.in). */
#define VDSO_RT_SIGRETURN	0x800

#ifndef __ASSEMBLY__

struct mm_struct;
struct vm_area_struct;

/* Maps it into a new program's address space; 0 or -errno. */
int arch_setup_additional_pages(struct mm_struct *mm);

/* What /proc/PID/maps calls it; NULL for any other area. */
const char *arch_vma_name(const struct vm_area_struct *vma);

#define ARCH_DLINFO	{ AT_SYSINFO_EHDR, current->mm->context.vdso },
#define ARCH_NR_DLINFO	1

#endif
#endif
