/* SPDX-License-Identifier: GPL-2.0-only */
/* Switching and copying address spaces. */
#ifndef _ASM_MMU_CONTEXT_H
#define _ASM_MMU_CONTEXT_H

#define prepare_arch_switch(next)	do { } while (0)
#define deactivate_mm(task, mm)		do { } while (0)
#define flush_cache_dup_mm(mm)		do { } while (0)

/* The child's vDSO is where the parent's is. */
#define arch_dup_mmap(oldmm, mm) \
	((mm)->context.vdso = (oldmm)->context.vdso)

#endif
