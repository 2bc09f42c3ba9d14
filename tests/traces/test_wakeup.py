# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 233.270 us each
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
          <idle>-0       [000] d.h2.     0.078229: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.078238: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.078238: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.078298: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.078629: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.078630: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.078660: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.078761: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.080642: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080643: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.080674: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.080861: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.082259: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.082260: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.082293: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082357: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.082373: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.082384: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.082385: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.082414: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.082424: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.082471: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.082481: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082482: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.082511: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.082521: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.082551: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.082560: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.082561: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.082590: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.082605: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.082776: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.082788: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082789: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.082818: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.082818: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.083099: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.083111: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.083112: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.083141: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.083146: finish_task_switch <-__schedule
          <idle>-0       [001] d.s2.     0.083290: try_to_wake_up <-wake_up_process
     rcu_preempt-3       [001] d..2.     0.083324: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.083360: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.083373: try_to_wake_up <-default_wake_function
              sh-17      [000] d..6.     0.083385: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.083386: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.083406: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.083415: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
