/* SPDX-License-Identifier: GPL-2.0-only */
/* What must leave the CPU while a task's memory is its own: nothing. */
#ifndef _ASM_MMU_CONTEXT_H
#define _ASM_MMU_CONTEXT_H

#define prepare_arch_switch(next)	do { } while (0)
#define deactivate_mm(task, mm)		do { } while (0)
#define flush_cache_dup_mm(mm)		do { } while (0)

/* What else a child's address space inherits. */
#define arch_dup_mmap(oldmm, mm)	do { } while (0)

#endif
