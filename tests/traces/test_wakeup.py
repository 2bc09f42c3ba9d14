# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 198.530 us each
# tracer: function
#
# entries-in-buffer/entries-written: 47/47   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.080072: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.080080: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080081: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.080110: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.080466: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080467: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.080497: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.080597: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.082493: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082494: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.082524: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082709: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.084092: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084093: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.084126: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.084176: try_to_wake_up <-default_wake_function
          <idle>-0       [001] d..2.     0.084222: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.084239: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.084249: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.084250: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.084280: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.084288: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.084319: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.084328: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084329: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.084358: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.084372: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.084540: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.084552: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.084553: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.084581: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.084582: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.084856: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.084868: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084869: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.084897: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.084899: finish_task_switch <-__schedule
              sh-17      [000] d.s1.     0.085043: try_to_wake_up <-wake_up_process
              sh-17      [000] d.s4.     0.085056: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085057: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.085076: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.085113: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.085187: try_to_wake_up <-default_wake_function
              sh-17      [000] d..6.     0.085199: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085200: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.085220: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.085229: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
