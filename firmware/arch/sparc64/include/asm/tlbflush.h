/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_TLBFLUSH_H
#define _ASM_TLBFLUSH_H

#include <asm/processor.h>

/* The memory behind user windows is soon somebody else's. */
#define deactivate_mm(task, mm) flushw()

void flush_reset_tlb(void);

#endif
