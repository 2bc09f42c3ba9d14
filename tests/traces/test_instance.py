# SPDX-License-Identifier: GPL-2.0-only
"""Two traces at once: an instance shows a command's reads and writes, the top trace the scheduler's calls meanwhile."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = (
    "emu run -p function -l schedule "
    "-- 'cd /sys/kernel/tracing; mkdir instances/files; cd instances/files; "
    "echo vfs_read vfs_write > set_ftrace_filter; echo function > current_tracer; "
    "cat /proc/version; echo 0 > tracing_on; cat trace'"
)

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function
#
# entries-in-buffer/entries-written: 4/4   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
             cat-19      [000] .....     0.018731: vfs_read <-ksys_read
             cat-19      [000] .....     0.018766: vfs_write <-ksys_write
             cat-19      [000] .....     0.018780: vfs_read <-ksys_read
              sh-17      [001] .....     0.019017: vfs_write <-ksys_write
# tracer: function
#
# entries-in-buffer/entries-written: 5/5   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] .....     0.016683: schedule <-do_wait
              sh-17      [001] .....     0.017976: schedule <-hostfs_wait_answer
              sh-17      [001] .....     0.018226: schedule <-do_wait
     rcu_preempt-3       [001] .....     0.018314: schedule <-schedule_timeout
              sh-17      [001] .....     0.019233: schedule <-do_wait
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_calls_of_both(run: Run) -> None:
    _, instance, top = run.text.split("# tracer: function\n")
    assert in_a_row(shown(instance), run.seen("vfs_read", "vfs_write"))
    assert shown(top) == run.seen("schedule")
