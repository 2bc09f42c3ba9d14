/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of the scheduler, to follow wakeups. */
#include <emu/layout.h>

#include "sched.h"

LAYOUT_CONST(TASK_REPORT);
LAYOUT_CONST(TASK_IDLE);

LAYOUT(pcpu_hot, percpu_offset);

LAYOUT(rq, curr);

LAYOUT(task_struct, __state);
LAYOUT(task_struct, exit_state);
