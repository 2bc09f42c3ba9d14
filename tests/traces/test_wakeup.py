# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 171.030 us each
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
          <idle>-0       [000] d.h2.     0.075097: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.075105: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.075106: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.075135: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.075497: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.075498: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.075527: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.075643: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.077498: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.077499: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.077528: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.077715: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.079039: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.079040: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.079072: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.079156: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.079169: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.079179: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.079186: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.079199: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.079218: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.079238: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.079246: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.079247: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.079275: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.079319: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.079452: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.079464: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.079465: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.079491: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.079493: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.079762: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.079774: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.079775: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.079801: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.079804: finish_task_switch <-__schedule
              sh-17      [000] d.s1.     0.080040: try_to_wake_up <-wake_up_process
              sh-17      [000] d.s4.     0.080052: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080053: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.080072: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.080083: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.080123: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.080123: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
