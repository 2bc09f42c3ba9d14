# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 222.410 us each
# tracer: function
#
# entries-in-buffer/entries-written: 49/49   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.077450: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.077458: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.077459: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.077487: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.077824: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.077825: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.077854: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.077970: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.079823: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.079824: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.079854: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.080073: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.081384: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.081385: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.081415: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.081466: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.081476: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.081484: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.081485: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.081501: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.081523: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.081556: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.081566: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.081567: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.081595: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.081605: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.081634: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.081643: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.081644: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.081672: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.081686: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.081849: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.081860: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.081861: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.081888: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.081889: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.082158: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.082170: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.082171: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.082197: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.082203: finish_task_switch <-__schedule
          <idle>-0       [001] d.s2.     0.082289: try_to_wake_up <-wake_up_process
     rcu_preempt-3       [001] d..2.     0.082322: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.082357: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.082421: try_to_wake_up <-default_wake_function
              sh-17      [000] d..6.     0.082433: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082434: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.082454: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.082460: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
