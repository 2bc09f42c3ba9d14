/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of this architecture's registers. */
#include <emu/layout.h>
#include <asm/ptrace.h>

LAYOUT_SIZE(pt_regs);
LAYOUT(pt_regs, epc);
LAYOUT(pt_regs, ra);
LAYOUT(pt_regs, sp);
LAYOUT(pt_regs, gp);
LAYOUT(pt_regs, tp);
LAYOUT(pt_regs, t0);
LAYOUT(pt_regs, s0);
LAYOUT(pt_regs, a0);
LAYOUT(pt_regs, a7);
LAYOUT(pt_regs, s2);
LAYOUT(pt_regs, t3);
LAYOUT(pt_regs, status);
LAYOUT(pt_regs, badaddr);
LAYOUT(pt_regs, cause);
LAYOUT(pt_regs, orig_a0);
