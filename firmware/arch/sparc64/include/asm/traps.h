/* SPDX-License-Identifier: GPL-2.0-only */
/* C handlers of traps, called by the trap table's entries. */
#ifndef _ASM_TRAPS_H
#define _ASM_TRAPS_H

#include <asm/ptrace.h>

/* @tag: a page's address as the MMU recorded it, and below it the context. */
void do_fault_exec(struct pt_regs *regs, unsigned long tag);
void do_fault_read(struct pt_regs *regs, unsigned long tag);
void do_fault_write(struct pt_regs *regs, unsigned long tag);
void do_fault_data(struct pt_regs *regs, unsigned long tag);
void do_fault_privilege(struct pt_regs *regs, unsigned long tag);

void do_illegal_instruction(struct pt_regs *regs);
void do_privop(struct pt_regs *regs);
void do_privact(struct pt_regs *regs);
void do_fpdis(struct pt_regs *regs);
void do_fpieee(struct pt_regs *regs);
void do_fpother(struct pt_regs *regs);
void do_tof(struct pt_regs *regs);
void do_div0(struct pt_regs *regs);
void do_dae(struct pt_regs *regs);
void do_mna(struct pt_regs *regs);
void do_breakpoint(struct pt_regs *regs);
void do_uprobe(struct pt_regs *regs);
void do_flush_windows(struct pt_regs *regs);
void sparc64_get_context(struct pt_regs *regs);
void sparc64_set_context(struct pt_regs *regs);
void do_nmi(struct pt_regs *regs);
void bad_trap(struct pt_regs *regs);

void timer_interrupt(struct pt_regs *regs);
void host_device_interrupt(struct pt_regs *regs);
void block_device_interrupt(struct pt_regs *regs);
void call_function_interrupt(struct pt_regs *regs);
void reschedule_interrupt(struct pt_regs *regs);
void upcall_interrupt(struct pt_regs *regs);
void spurious_interrupt(struct pt_regs *regs);

#endif
