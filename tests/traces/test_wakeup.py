# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 149.270 us each
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
          <idle>-0       [000] d.h2.     0.069196: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.069235: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.069552: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.069553: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.069576: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.069674: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.071451: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.071452: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.071476: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.071637: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.072834: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.072834: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.072858: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.072920: try_to_wake_up <-wake_up_process
        pingpong-18      [001] d..1.     0.072961: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.072961: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.072971: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.072975: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.072996: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073006: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.073064: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.073074: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073074: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.073096: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.073111: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.073240: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.073249: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073250: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.073271: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073300: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.073535: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.073544: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073545: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.073566: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.073567: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.073763: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.073773: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073774: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.073788: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073803: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
