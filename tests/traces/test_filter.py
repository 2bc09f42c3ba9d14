# SPDX-License-Identifier: GPL-2.0-only
"""Functions are selected by name: the globs of set_ftrace_filter (-l) without those of set_ftrace_notrace (-n)."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = "emu run --arch sparc64 -p function -l 'vfs_*' -n 'vfs_getattr*' -- 'cat /proc/version'"

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function
#
# entries-in-buffer/entries-written: 12/12   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] .....     0.094740: vfs_open <-do_open
             cat-18      [000] .....     0.096698: vfs_fstatat <-sys_newfstatat
             cat-18      [000] .....     0.096704: vfs_statx <-vfs_fstatat
             cat-18      [000] .....     0.096987: vfs_open <-do_open
             cat-18      [000] .....     0.097651: vfs_open <-do_open
             cat-18      [000] .....     0.097833: vfs_fstat <-sys_newfstat
             cat-18      [000] .....     0.097841: vfs_fstat <-sys_newfstat
             cat-18      [000] .....     0.097851: vfs_read <-ksys_read
             cat-18      [000] .....     0.097901: vfs_write <-ksys_write
             cat-18      [000] .....     0.097916: vfs_read <-ksys_read
            init-1       [000] .....     0.098560: vfs_ioctl <-sys_ioctl
            init-1       [000] .....     0.098581: vfs_write <-ksys_write
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls_and_those_that_were_left_out(run: Run) -> None:
    assert shown(run.text) == run.seen("vfs_*", but="vfs_getattr*")
    assert run.seen("vfs_getattr*")
