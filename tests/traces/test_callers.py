# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: which function, called by which, in which task, on which CPU, when. A pipe from creation to end."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = "emu run -p function -l '*pipe*' -- 'echo hello | cat'"

TRACE = """\
hello
# tracer: function
#
# entries-in-buffer/entries-written: 15/15   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] .....     0.016038: sys_pipe2 <-do_syscall_64
              sh-17      [001] .....     0.016039: do_pipe2 <-sys_pipe2
              sh-17      [001] .....     0.016039: __do_pipe_flags <-do_pipe2
              sh-17      [001] .....     0.016040: create_pipe_files <-__do_pipe_flags
              sh-17      [001] .....     0.016045: alloc_pipe_info <-create_pipe_files
              sh-18      [000] .....     0.016502: pipe_write <-vfs_write
              sh-18      [000] .....     0.016509: pipe_push <-pipe_write
              sh-18      [000] .....     0.016616: pipe_release <-__fput
              sh-18      [000] .....     0.016621: put_pipe_info <-pipe_release
             cat-19      [001] .....     0.017111: pipe_read <-vfs_read
             cat-19      [001] .....     0.017117: anon_pipe_buf_release <-pipe_read
             cat-19      [001] .....     0.017143: pipe_read <-vfs_read
             cat-19      [001] .....     0.017211: pipe_release <-__fput
             cat-19      [001] .....     0.017218: put_pipe_info <-pipe_release
             cat-19      [001] .....     0.017221: free_pipe_info <-put_pipe_info
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("*pipe*")
