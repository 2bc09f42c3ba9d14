# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 147.900 us each
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
          <idle>-0       [000] d.h2.     0.069208: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.069247: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.069564: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.069564: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.069587: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.069686: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.071465: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.071466: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.071490: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.071651: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.072845: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.072846: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.072870: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.072932: try_to_wake_up <-wake_up_process
        pingpong-18      [001] d..1.     0.072973: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.072973: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.072983: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.072987: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.073018: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.073038: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.073075: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.073084: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073085: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.073106: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.073122: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.073250: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.073260: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073261: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.073282: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073310: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.073545: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.073555: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073556: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.073577: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.073578: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.073772: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.073782: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.073783: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.073797: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.073813: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
