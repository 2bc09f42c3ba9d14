/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of this architecture's registers. */
#include <emu/layout.h>
#include <asm/ptrace.h>

LAYOUT(pt_regs, u_regs);
LAYOUT(pt_regs, tstate);
LAYOUT(pt_regs, tpc);
LAYOUT(pt_regs, tnpc);
LAYOUT(pt_regs, y);
