# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 279.000 us each
# tracer: function
#
# entries-in-buffer/entries-written: 48/48   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.075922: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.075931: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.075931: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.075960: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.076346: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.076347: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.076376: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.076475: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.078344: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.078345: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.078375: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.078561: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.079873: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.079874: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.079904: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.079955: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.079966: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.079977: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.079984: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.080016: finish_task_switch <-__schedule
        pingpong-19      [000] d..2.     0.080047: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.080101: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.080112: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080113: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.080141: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.080150: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.080180: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.080188: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080189: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.080217: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.080232: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.080396: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.080407: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080408: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.080436: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.080437: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.080709: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.080720: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080721: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.080749: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.080750: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.080970: try_to_wake_up <-default_wake_function
              sh-17      [000] d..6.     0.080982: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080982: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.081002: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.081010: finish_task_switch <-__schedule
          <idle>-0       [000] d.s2.     0.081050: try_to_wake_up <-wake_up_process
     rcu_preempt-3       [000] d..2.     0.081081: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
