# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte back and forth."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 --seed 1 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 282.570 us each
# tracer: function
#
# entries-in-buffer/entries-written: 43/43   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
              sh-17      [001] d..2.     0.098215: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.098216: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.098249: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.098510: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.099764: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099765: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099795: finish_task_switch <-schedule_tail
        pingpong-18      [000] .....     0.099849: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.099858: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.099865: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099876: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099902: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.099905: finish_task_switch <-__schedule
        pingpong-19      [001] d..1.     0.099957: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..4.     0.099967: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.099968: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.099997: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.100006: finish_task_switch <-__schedule
        pingpong-18      [000] d..1.     0.100075: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..4.     0.100084: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100085: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.100113: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.100128: finish_task_switch <-__schedule
        pingpong-19      [001] d..3.     0.100326: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..6.     0.100337: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100338: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.100366: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.100367: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.100640: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.100652: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100653: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.100681: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.100683: finish_task_switch <-__schedule
              sh-17      [001] d..3.     0.100967: try_to_wake_up <-default_wake_function
              sh-17      [001] d..6.     0.100978: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100979: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.101002: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101008: finish_task_switch <-__schedule
            init-1       [000] d.s2.     0.101043: try_to_wake_up <-wake_up_process
            init-1       [000] d.s5.     0.101054: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.101055: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.101074: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101111: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
