# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 --seed 1 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 245.010 us each
# tracer: function
#
# entries-in-buffer/entries-written: 51/51   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d.h2.     0.084555: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d.h5.     0.084564: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.084565: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.084594: finish_task_switch <-__schedule
            init-1       [001] d..2.     0.084920: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.084921: reschedule_interrupt <-etrap
              sh-17      [000] d..2.     0.084951: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.085051: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.086915: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.086916: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.086946: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.087166: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.088521: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.088522: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.088553: finish_task_switch <-schedule_tail
        pingpong-18      [001] d..1.     0.088605: try_to_wake_up <-default_wake_function
          <idle>-0       [000] d..2.     0.088615: finish_task_switch <-__schedule
        pingpong-18      [001] d..4.     0.088623: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.088633: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.088659: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.088662: finish_task_switch <-__schedule
        pingpong-19      [000] d..1.     0.088715: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..4.     0.088725: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.088726: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.088755: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.088764: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.088795: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.088803: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.088804: reschedule_interrupt <-etrap
        pingpong-19      [000] d..2.     0.088833: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.088847: finish_task_switch <-__schedule
        pingpong-19      [000] d..3.     0.089048: try_to_wake_up <-default_wake_function
        pingpong-19      [000] d..6.     0.089059: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.089060: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.089088: finish_task_switch <-__schedule
        pingpong-18      [001] d..2.     0.089089: finish_task_switch <-__schedule
        pingpong-18      [001] d.s2.     0.089287: try_to_wake_up <-wake_up_process
        pingpong-18      [001] d.s5.     0.089296: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.089297: reschedule_interrupt <-etrap
     rcu_preempt-3       [000] d..2.     0.089326: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.089361: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.089420: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.089432: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.089433: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.089461: finish_task_switch <-__schedule
              sh-17      [000] d..2.     0.089463: finish_task_switch <-__schedule
              sh-17      [000] d..3.     0.089690: try_to_wake_up <-default_wake_function
              sh-17      [000] d..6.     0.089702: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.089703: reschedule_interrupt <-etrap
            init-1       [001] d..2.     0.089723: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.089731: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
