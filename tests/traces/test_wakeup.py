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
              sh-17      [001] d..2.     0.098214: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.098215: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.098248: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.098509: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.099765: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099766: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099796: finish_task_switch <-schedule_tail
        pingpong-18      [000] .....     0.099850: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.099859: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.099866: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.099877: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.099903: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.099906: finish_task_switch <-__schedule
        pingpong-19      [001] d..1.     0.099958: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..4.     0.099968: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.099969: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.099998: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.100007: finish_task_switch <-__schedule
        pingpong-18      [000] d..1.     0.100070: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..4.     0.100078: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100079: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.100108: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.100122: finish_task_switch <-__schedule
        pingpong-19      [001] d..3.     0.100320: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..6.     0.100332: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100333: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.100361: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.100362: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.100635: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.100647: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.100648: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.100676: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.100677: finish_task_switch <-__schedule
              sh-17      [001] d..3.     0.100961: try_to_wake_up <-default_wake_function
              sh-17      [001] d..6.     0.100973: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.100974: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.100997: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101002: finish_task_switch <-__schedule
            init-1       [000] d.s2.     0.101040: try_to_wake_up <-wake_up_process
            init-1       [000] d.s5.     0.101051: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.101052: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.101071: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.101108: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
