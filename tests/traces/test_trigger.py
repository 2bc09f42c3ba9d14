# SPDX-License-Identifier: GPL-2.0-only
"""A filter and a trigger: which tasks switch to `cat`, and, the first time, from where."""

from __future__ import annotations

from tests.traces.run import Run

COMMAND = "emu run --cpus 1 -e sched:sched_switch -f 'next_comm == \"cat\"' -R 'stacktrace:1 if next_comm == \"cat\"' -- 'echo | cat'"

TRACE = """\

# tracer: nop
#
# entries-in-buffer/entries-written: 2/2   #P:1
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-13      [000] d..2.     0.023657: sched_switch: prev_comm=sh prev_pid=13 prev_prio=120 prev_state=S ==> next_comm=cat next_pid=15 next_prio=120
              sh-13      [000] d..2.     0.023657: <stack trace>
 => trace_event_raw_event_sched_switch
 => __schedule
 => schedule
 => do_wait
 => kernel_wait4
 => sys_wait4
 => do_syscall_64
 => entry_SYSCALL_64
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_more_switches(run: Run) -> None:
    switches = run.text.count(": sched_switch: ")
    assert 0 < switches < len(run.seen("__schedule")[0])
    assert run.text.count("<stack trace>") == 1
