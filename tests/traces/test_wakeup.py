# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte back and forth."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 --seed 1 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 276.330 us each
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
              sh-17      [001] d..2.     0.098217: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.098218: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.098251: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.098512: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.099766: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099767: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099797: finish_task_switch <-schedule_tail
        pingpong-18      [000] .....     0.099851: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.099860: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.099867: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099878: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099904: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.099907: finish_task_switch <-__schedule
        pingpong-19      [001] d..1.     0.099959: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..4.     0.099969: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.099970: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.099999: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.100008: finish_task_switch <-__schedule
        pingpong-18      [000] d..1.     0.100071: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..4.     0.100079: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100080: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.100109: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.100123: finish_task_switch <-__schedule
        pingpong-19      [001] d..3.     0.100321: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..6.     0.100333: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100334: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.100362: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.100363: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.100636: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.100648: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100649: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.100677: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.100678: finish_task_switch <-__schedule
              sh-17      [001] d..3.     0.100963: try_to_wake_up <-default_wake_function
              sh-17      [001] d..6.     0.100974: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100975: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.100998: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101003: finish_task_switch <-__schedule
            init-1       [000] d.s2.     0.101039: try_to_wake_up <-wake_up_process
            init-1       [000] d.s5.     0.101050: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.101051: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.101070: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101107: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
