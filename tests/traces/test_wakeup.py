# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 197.010 us each
# tracer: function
#
# entries-in-buffer/entries-written: 44/44   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.079968: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.079976: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.079977: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.080006: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.080365: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080366: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.080396: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.080495: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.082389: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.082390: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.082421: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.082606: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.083995: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.083996: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.084029: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.084079: try_to_wake_up <-default_wake_function
          <idle>-0       [001] d..2.     0.084125: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.084142: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.084152: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.084153: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.084181: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.084191: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.084221: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.084229: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084230: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.084259: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.084303: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.084441: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.084453: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.084454: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.084482: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.084482: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.084758: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.084770: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084771: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.084800: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.084801: finish_task_switch <-__schedule
              sh-17      [000] d.s1.     0.085039: try_to_wake_up <-wake_up_process
              sh-17      [000] d.s4.     0.085052: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.085053: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.085073: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.085084: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.085124: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.085125: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
