# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: which function, called by which, in which task, on which CPU, when. A pipe from its making to its end."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = "emu run -p function -l '*pipe*' -- 'echo hello | cat'"

TRACE = """\
hello
# tracer: function
#
# entries-in-buffer/entries-written: 13/13   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] .....     0.028634: sys_pipe2 <-do_syscall_64
              sh-17      [001] .....     0.028634: do_pipe2 <-sys_pipe2
              sh-17      [001] .....     0.028635: __do_pipe_flags <-do_pipe2
              sh-17      [001] .....     0.028635: create_pipe_files <-__do_pipe_flags
              sh-17      [001] .....     0.028641: alloc_pipe_info <-create_pipe_files
              sh-18      [000] .....     0.029224: pipe_write <-vfs_write
              sh-18      [000] .....     0.029331: pipe_release <-__fput
              sh-18      [000] .....     0.029337: put_pipe_info <-pipe_release
             cat-19      [000] .....     0.030225: pipe_read <-vfs_read
             cat-19      [000] .....     0.030248: pipe_read <-vfs_read
             cat-19      [000] .....     0.030334: pipe_release <-__fput
             cat-19      [000] .....     0.030339: put_pipe_info <-pipe_release
             cat-19      [000] .....     0.030340: free_pipe_info <-put_pipe_info
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("*pipe*")
