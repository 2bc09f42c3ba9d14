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
              sh-17      [000] .....     0.080607: vfs_ioctl <-sys_ioctl
              sh-17      [000] .....     0.080665: vfs_ioctl <-sys_ioctl
              sh-17      [000] .....     0.080993: vfs_open <-do_open
             cat-18      [001] .....     0.082897: vfs_fstatat <-sys_newfstatat
             cat-18      [001] .....     0.082903: vfs_statx <-vfs_fstatat
             cat-18      [001] .....     0.083206: vfs_open <-do_open
             cat-18      [001] .....     0.083870: vfs_open <-do_open
             cat-18      [001] .....     0.084052: vfs_fstat <-sys_newfstat
             cat-18      [001] .....     0.084060: vfs_fstat <-sys_newfstat
             cat-18      [001] .....     0.084070: vfs_read <-ksys_read
             cat-18      [001] .....     0.084104: vfs_write <-ksys_write
             cat-18      [001] .....     0.084118: vfs_read <-ksys_read
            init-1       [001] .....     0.084619: vfs_ioctl <-sys_ioctl
            init-1       [001] .....     0.084640: vfs_write <-ksys_write
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls_and_those_that_were_left_out(run: Run) -> None:
    assert shown(run.text) == run.seen("vfs_*", but="vfs_getattr*")
    assert run.seen("vfs_getattr*")
