# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 --seed 1 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 227.930 us each
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
          <idle>-0       [000] d.h2.     0.081851: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.081897: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.082277: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082278: reschedule_interrupt <-etrap
              sh-17      [001] d..2.     0.082308: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082407: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.084292: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084293: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.084323: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.084491: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.085838: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085839: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.085870: finish_task_switch <-schedule_tail
        pingpong-18      [000] ...1.     0.085921: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.085932: finish_task_switch <-__schedule
        pingpong-18      [000] d..4.     0.085940: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085942: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.085958: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.085979: finish_task_switch <-__schedule
        pingpong-19      [001] d..1.     0.086012: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..4.     0.086022: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086023: reschedule_interrupt <-etrap
        pingpong-18      [000] d..2.     0.086055: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.086061: finish_task_switch <-__schedule
        pingpong-18      [000] d..1.     0.086095: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..4.     0.086103: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086104: reschedule_interrupt <-etrap
        pingpong-19      [001] d..2.     0.086133: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.086147: finish_task_switch <-__schedule
        pingpong-19      [001] d..3.     0.086345: try_to_wake_up <-default_wake_function
        pingpong-19      [001] d..6.     0.086356: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086357: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.086386: finish_task_switch <-__schedule
        pingpong-18      [000] d..2.     0.086386: finish_task_switch <-__schedule
        pingpong-18      [000] d..3.     0.086659: try_to_wake_up <-default_wake_function
        pingpong-18      [000] d..6.     0.086671: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086672: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.086700: finish_task_switch <-__schedule
              sh-17      [001] d..2.     0.086702: finish_task_switch <-__schedule
              sh-17      [001] d..3.     0.086923: try_to_wake_up <-default_wake_function
              sh-17      [001] d..6.     0.086935: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.086936: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.086956: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.086964: finish_task_switch <-__schedule
            init-1       [000] d.s2.     0.087045: try_to_wake_up <-wake_up_process
            init-1       [000] d.s5.     0.087057: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.087058: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.087077: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
