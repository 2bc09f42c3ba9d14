# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 117.670 us each
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
          <idle>-0       [000] d.h2.     0.082131: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.082171: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.082487: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082488: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.082511: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082609: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.084397: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084398: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.084422: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.084584: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.085794: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085795: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.085818: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.085880: try_to_wake_up <-wake_up_process
        pingpong-18      [001] d..1.     0.085921: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.085921: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.085931: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.085935: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.085956: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.085966: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.085993: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.086002: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086003: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.086027: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.086068: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.086171: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.086181: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086182: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.086203: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.086203: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.086446: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.086456: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086457: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.086478: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.086480: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.086674: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.086684: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086685: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.086699: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.086706: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
