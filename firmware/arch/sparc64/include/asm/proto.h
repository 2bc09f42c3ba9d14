/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry points and hooks that only this architecture's files call. */
#ifndef _ASM_PROTO_H
#define _ASM_PROTO_H

#include <linux/compiler.h>
#include <asm/ptrace.h>

struct fpu_state;

/* head.S, fpu.S, mmu.S */
void fpsave(struct fpu_state *fpu);
void fpload(const struct fpu_state *fpu);
void load_direct_map_end(unsigned long end);
void load_page_table(unsigned long pgd);
void load_direct_map_tables(unsigned long tables);

/* Called from assembly. */
void save_user_windows(struct pt_regs *regs);

/* tlb.c */
void flush_reset_tlb(void);

/* set_memory.c */
extern unsigned long direct_map_end;
extern phys_addr_t direct_map_tables;

/* windows.c: a program's registers, and an address that an instruction names. */
unsigned long fetch_reg(struct pt_regs *regs, unsigned int reg);
void store_reg(struct pt_regs *regs, unsigned int reg, unsigned long value);
unsigned long compute_effective_address(struct pt_regs *regs,
					unsigned int insn);
int synchronize_user_stack(void);

#endif
