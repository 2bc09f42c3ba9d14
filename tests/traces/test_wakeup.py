# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 221.490 us each
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
          <idle>-0       [000] d.h2.     0.076494: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.076540: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.076862: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.076863: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.076893: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.076991: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.078887: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.078888: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.078918: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.079114: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.080450: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080451: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.080481: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.080532: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.080543: finish_task_switch <-__schedule
        pingpong-17      [000] d..4.     0.080550: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080552: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.080568: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.080589: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.080621: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.080631: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080632: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.080661: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.080670: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.080700: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.080708: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.080709: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.080737: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.080751: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.080915: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.080927: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.080928: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.080954: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.080956: finish_task_switch <-__schedule
        pingpong-17      [000] d.s1.     0.081042: try_to_wake_up <-wake_up_process
        pingpong-17      [000] d.s4.     0.081054: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.081055: reschedule_interrupt <-etrap
     rcu_preempt-3       [001] d..2.     0.081083: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.081118: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.081288: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.081300: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.081300: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.081327: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.081332: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.081553: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.081564: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.081565: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.081588: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.081592: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
