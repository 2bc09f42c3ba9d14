/* SPDX-License-Identifier: GPL-2.0-only */
/* What must leave the CPU while a task's memory is its own: its windows. */
#ifndef _ASM_MMU_CONTEXT_H
#define _ASM_MMU_CONTEXT_H

#include <asm/processor.h>

/* The next address space is another. */
#define prepare_arch_switch(next)	flushw()

/* The memory behind them is soon somebody else's. */
#define deactivate_mm(task, mm)		flushw()

/* They are part of what is copied. */
#define flush_cache_dup_mm(mm)		flushw()

/* Nothing else is inherited. */
#define arch_dup_mmap(oldmm, mm)	do { } while (0)

#endif
