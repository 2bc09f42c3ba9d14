# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 89.720 us each
# tracer: function
#
# entries-in-buffer/entries-written: 39/39   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.082095: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.082134: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.082450: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082450: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.082474: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082572: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.084256: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084257: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.084283: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.084473: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.085629: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085630: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.085653: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.085739: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.085746: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.085754: smp_send_reschedule <-resched_curr
        pingpong-17      [000] d..2.     0.085761: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.085763: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.085788: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.085800: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.085810: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085811: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.085832: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.085848: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.085976: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.085986: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.085986: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.086008: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.086038: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.086280: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.086290: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086291: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.086312: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.086314: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.086531: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.086541: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086542: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.086556: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.086572: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
