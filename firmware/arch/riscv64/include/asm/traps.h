/* SPDX-License-Identifier: GPL-2.0-only */
/* C handlers of traps, called by entry.S: tables by cause. */
#ifndef _ASM_TRAPS_H
#define _ASM_TRAPS_H

#include <asm/csr.h>
#include <asm/ptrace.h>

typedef void (*trap_handler_t)(struct pt_regs *regs);
extern const trap_handler_t exception_handlers[NR_CAUSES];
extern const trap_handler_t interrupt_handlers[NR_CAUSES];

void do_page_fault(struct pt_regs *regs);
void do_nmi(struct pt_regs *regs);
void handle_bad_stack(struct pt_regs *regs);
int kprobe_trap(struct pt_regs *regs, int handled);

void riscv_timer_interrupt(struct pt_regs *regs);
void host_device_interrupt(struct pt_regs *regs);
void block_device_interrupt(struct pt_regs *regs);
void call_function_interrupt(struct pt_regs *regs);
void reschedule_interrupt(struct pt_regs *regs);
void upcall_interrupt(struct pt_regs *regs);
void spurious_interrupt(struct pt_regs *regs);

#endif
