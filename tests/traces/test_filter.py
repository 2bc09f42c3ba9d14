# SPDX-License-Identifier: GPL-2.0-only
"""What is traced is chosen by name: the globs of set_ftrace_filter (-l) without those of set_ftrace_notrace (-n)."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = "emu run --arch sparc64 -p function -l 'vfs_*' -n 'vfs_getattr*' -- 'cat /proc/version'"

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function
#
# entries-in-buffer/entries-written: 14/14   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-16      [001] .....     0.073607: vfs_ioctl <-sys_ioctl
              sh-16      [001] .....     0.073665: vfs_ioctl <-sys_ioctl
              sh-16      [001] .....     0.074038: vfs_open <-do_open
             cat-17      [000] .....     0.075919: vfs_fstatat <-sys_newfstatat
             cat-17      [000] .....     0.075925: vfs_statx <-vfs_fstatat
             cat-17      [000] .....     0.076243: vfs_open <-do_open
             cat-17      [000] .....     0.076862: vfs_open <-do_open
             cat-17      [000] .....     0.077078: vfs_fstat <-sys_fstat
             cat-17      [000] .....     0.077086: vfs_fstat <-sys_fstat
             cat-17      [000] .....     0.077096: vfs_read <-ksys_read
             cat-17      [000] .....     0.077117: vfs_write <-ksys_write
             cat-17      [000] .....     0.077131: vfs_read <-ksys_read
            init-1       [000] .....     0.077613: vfs_ioctl <-sys_ioctl
            init-1       [000] .....     0.077633: vfs_write <-ksys_write
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls_and_those_that_were_left_out(run: Run) -> None:
    assert shown(run.text) == run.seen("vfs_*", but="vfs_getattr*")
    assert run.seen("vfs_getattr*")
