# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 117.170 us each
# tracer: function
#
# entries-in-buffer/entries-written: 40/40   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.069118: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.069157: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.069476: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.069477: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.069500: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.069599: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.071379: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.071380: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.071405: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.071566: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.072758: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.072759: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.072783: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.072844: try_to_wake_up <-wake_up_process
        pingpong-18      [001] d..1.     0.072885: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.072886: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.072895: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.072899: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.072920: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.072930: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.072957: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.072967: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.072967: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.072989: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.073004: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.073138: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.073148: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073149: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.073170: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073170: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.073413: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.073422: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073423: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.073444: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.073446: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.073642: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.073652: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073653: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.073666: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073682: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
