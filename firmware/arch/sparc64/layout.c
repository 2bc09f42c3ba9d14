/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of this architecture's registers. */
#include <linux/sched.h>
#include <emu/layout.h>
#include <asm/ptrace.h>

LAYOUT_SIZE(pt_regs);
LAYOUT(pt_regs, u_regs);
LAYOUT(pt_regs, tstate);
LAYOUT(pt_regs, tpc);
LAYOUT(pt_regs, tnpc);
LAYOUT(pt_regs, y);

LAYOUT(task_struct, thread.next_window);
LAYOUT(task_struct, thread.windows);
LAYOUT_SIZE(user_window);
LAYOUT(user_window, window);
LAYOUT(user_window, sp);
