/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of this architecture's structures. */
#include <emu/layout.h>
#include <asm/irq.h>
#include <asm/page.h>
#include <asm/pcpu_hot.h>
#include <asm/ptrace.h>
#include <asm/upcall.h>

LAYOUT_CONST(LOCAL_TIMER_VECTOR);
LAYOUT_CONST(UPCALL_VECTOR);
LAYOUT_CONST(HOST_DEVICE_VECTOR);
LAYOUT_CONST(BLOCK_DEVICE_VECTOR);
LAYOUT_CONST(CALL_FUNCTION_VECTOR);
LAYOUT_CONST(RESCHEDULE_VECTOR);
LAYOUT_CONST(THREAD_SIZE);

LAYOUT_SIZE(pcpu_hot);
LAYOUT(pcpu_hot, current_task);
LAYOUT(pcpu_hot, preempt_count);
LAYOUT(pcpu_hot, cpu_number);
LAYOUT(pcpu_hot, top_of_stack);

LAYOUT_SIZE(upcall_stop);
LAYOUT(upcall_stop, arrived);
LAYOUT(upcall_stop, released);

LAYOUT_SIZE(pt_regs);
LAYOUT(pt_regs, u_regs);
LAYOUT(pt_regs, tstate);
LAYOUT(pt_regs, tpc);
LAYOUT(pt_regs, tnpc);
LAYOUT(pt_regs, y);
LAYOUT(pt_regs, magic);
