# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte back and forth."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 --seed 1 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 231.080 us each
# tracer: function
#
# entries-in-buffer/entries-written: 38/38   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] d..2.     0.098339: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.098340: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.098370: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.098601: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.099892: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099893: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099923: finish_task_switch <-schedule_tail
        pingpong-18      [000] .....     0.099976: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.099985: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.099993: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099995: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.100011: finish_task_switch <-__schedule
        pingpong-19      [001] d..1.     0.100066: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.100067: finish_task_switch <-__schedule
        pingpong-19      [001] d..4.     0.100076: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100086: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.100112: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.100115: finish_task_switch <-__schedule
        pingpong-18      [000] d..1.     0.100151: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..4.     0.100160: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100161: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.100189: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.100203: finish_task_switch <-__schedule
        pingpong-19      [001] d..3.     0.100406: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..6.     0.100418: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100419: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.100447: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.100448: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.100721: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.100732: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100733: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.100761: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.100763: finish_task_switch <-__schedule
          <idle>-0       [000] d.s2.     0.101042: try_to_wake_up <-wake_up_process
              sh-17      [001] d..3.     0.101047: try_to_wake_up <-default_wake_function
     rcu_preempt-3       [000] d..2.     0.101071: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.101079: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.101107: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
