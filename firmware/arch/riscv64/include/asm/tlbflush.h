/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_TLBFLUSH_H
#define _ASM_TLBFLUSH_H

/* Registers hold nothing that belongs into an address space. */
#define deactivate_mm(task, mm) do { } while (0)

#endif
