# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 107.100 us each
# tracer: function
#
# entries-in-buffer/entries-written: 41/41   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.089556: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.089565: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.089566: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.089587: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.089886: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.089887: reschedule_interrupt <-etrap
              sh-16      [000] d..2.     0.089910: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.090027: finish_task_switch <-__schedule
              sh-16      [000] d..2.     0.091694: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.091694: reschedule_interrupt <-etrap
        pingpong-17      [001] d..2.     0.091718: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.091900: finish_task_switch <-__schedule
        pingpong-17      [001] d..2.     0.093043: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.093044: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.093070: finish_task_switch <-schedule_tail
        pingpong-18      [000] d..1.     0.093156: try_to_wake_up <-default_wake_function
          <idle>-0       [001] d..2.     0.093160: finish_task_switch <-__schedule
        pingpong-18      [000] d..4.     0.093168: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.093173: reschedule_interrupt <-etrap
        pingpong-17      [001] d..2.     0.093194: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.093202: finish_task_switch <-__schedule
        pingpong-17      [001] d..1.     0.093231: try_to_wake_up <-default_wake_function
        pingpong-17      [001] d..4.     0.093241: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.093242: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.093263: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.093307: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.093407: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.093417: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.093418: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.093439: finish_task_switch <-__schedule
        pingpong-17      [001] d..2.     0.093439: finish_task_switch <-__schedule
        pingpong-17      [001] d..3.     0.093682: try_to_wake_up <-default_wake_function
        pingpong-17      [001] d..6.     0.093692: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.093693: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.093714: finish_task_switch <-__schedule
              sh-16      [000] d..2.     0.093715: finish_task_switch <-__schedule
              sh-16      [000] d..3.     0.093932: try_to_wake_up <-default_wake_function
              sh-16      [000] d..6.     0.093942: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.093943: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.093956: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.093964: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
