/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry points and hooks that only this architecture's files call. */
#ifndef _ASM_PROTO_H
#define _ASM_PROTO_H

#include <linux/compiler.h>
#include <asm/pgtable_types.h>
#include <asm/ptrace.h>

/* head.S, entry.S */
void entry_SYSCALL_64(void);

/* Called from assembly. */
bool do_syscall_64(struct pt_regs *regs, int nr);

/* idt.c */
void load_current_idt(void);

/* traps.c */
void handle_stack_overflow(struct pt_regs *regs,
			   unsigned long address) __noreturn;

/* tlb.c */
void __flush_tlb_all(void);

/* set_memory.c */
pte_t *kernel_pte_alloc(unsigned long addr);

#endif
