/* SPDX-License-Identifier: GPL-2.0-only */
/* C handlers of exceptions and interrupts, called by entry.S. */
#ifndef _ASM_TRAPS_H
#define _ASM_TRAPS_H

#include <asm/ptrace.h>

void exc_divide_error(struct pt_regs *regs, long error_code);
void exc_debug(struct pt_regs *regs, long error_code);
void exc_nmi(struct pt_regs *regs);
void exc_int3(struct pt_regs *regs);
/* Returns @handled, unless the host has made it 1. */
int kprobe_int3_handler(struct pt_regs *regs, int handled);
void exc_overflow(struct pt_regs *regs, long error_code);
void exc_bounds(struct pt_regs *regs, long error_code);
void exc_invalid_op(struct pt_regs *regs, long error_code);
void exc_device_not_available(struct pt_regs *regs, long error_code);
void exc_double_fault(struct pt_regs *regs, long error_code);
void exc_invalid_tss(struct pt_regs *regs, long error_code);
void exc_segment_not_present(struct pt_regs *regs, long error_code);
void exc_stack_segment(struct pt_regs *regs, long error_code);
void exc_general_protection(struct pt_regs *regs, long error_code);
void exc_page_fault(struct pt_regs *regs, long error_code);
void exc_coprocessor_error(struct pt_regs *regs, long error_code);
void exc_alignment_check(struct pt_regs *regs, long error_code);
void exc_simd_coprocessor_error(struct pt_regs *regs, long error_code);

void sysvec_apic_timer_interrupt(struct pt_regs *regs);
void sysvec_host_device(struct pt_regs *regs);
void sysvec_block_device(struct pt_regs *regs);
void sysvec_call_function(struct pt_regs *regs);
void sysvec_reschedule_ipi(struct pt_regs *regs);
void sysvec_upcall(struct pt_regs *regs);
void sysvec_spurious(struct pt_regs *regs);

#endif
