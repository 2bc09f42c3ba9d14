# SPDX-License-Identifier: GPL-2.0-only
"""Who opens files, and from where: each call of vfs_open with its stack trace."""

from __future__ import annotations

import re

from tests.traces.run import Run

COMMAND = "emu run --cpus 1 -p function -l vfs_open -O func_stack_trace -- cat /proc/version"

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function
#
# entries-in-buffer/entries-written: 4/4   #P:1
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
             cat-13      [000] .....     0.021599: vfs_open <-do_open
             cat-13      [000] .....     0.021599: <stack trace>
 => vfs_open
 => do_open
 => path_openat
 => do_filp_open
 => do_open_execat.constprop.0
 => bprm_execve.constprop.0
 => do_execveat_common.constprop.0
 => sys_execve
 => do_syscall_64
 => entry_SYSCALL_64
             cat-13      [000] .....     0.021868: vfs_open <-do_open
             cat-13      [000] .....     0.021868: <stack trace>
 => vfs_open
 => do_open
 => path_openat
 => do_filp_open
 => do_sys_openat2
 => sys_openat
 => do_syscall_64
 => entry_SYSCALL_64
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_one_after_another(run: Run) -> None:
    stacks = [stack.replace(" => ", "").split() for stack in re.findall(r"<stack trace>\n((?: => .*\n)+)", run.text)]
    assert len(stacks) == len(run.seen("vfs_open")[0])
    for stack in stacks:
        calls = iter(run.calls[0])
        outermost_first = [name for name in reversed(stack) if name in run.calls[0]]
        assert len(outermost_first) > 5
        assert all(name in calls for name in outermost_first)
