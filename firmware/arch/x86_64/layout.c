/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of this architecture's registers. */
#include <emu/layout.h>
#include <linux/mmiotrace.h>
#include <asm/io.h>
#include <asm/ptrace.h>

LAYOUT_SIZE(pt_regs);
LAYOUT(pt_regs, r15);
LAYOUT(pt_regs, r14);
LAYOUT(pt_regs, r13);
LAYOUT(pt_regs, r12);
LAYOUT(pt_regs, bp);
LAYOUT(pt_regs, bx);
LAYOUT(pt_regs, r11);
LAYOUT(pt_regs, r10);
LAYOUT(pt_regs, r9);
LAYOUT(pt_regs, r8);
LAYOUT(pt_regs, ax);
LAYOUT(pt_regs, cx);
LAYOUT(pt_regs, dx);
LAYOUT(pt_regs, si);
LAYOUT(pt_regs, di);
LAYOUT(pt_regs, orig_ax);
LAYOUT(pt_regs, ip);
LAYOUT(pt_regs, cs);
LAYOUT(pt_regs, flags);
LAYOUT(pt_regs, sp);
LAYOUT(pt_regs, ss);

LAYOUT_CONST(IO_WINDOW_START);
LAYOUT_CONST(IO_WINDOW_SIZE);

LAYOUT_CONST(MMIO_READ);
LAYOUT_CONST(MMIO_WRITE);
LAYOUT(mmiotrace_rw, phys);
LAYOUT(mmiotrace_rw, value);
LAYOUT(mmiotrace_rw, opcode);
LAYOUT(mmiotrace_rw, width);
