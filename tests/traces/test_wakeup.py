# SPDX-License-Identifier: GPL-2.0-only
"""Two CPUs: a task wakes another, whose CPU gets an interrupt and switches to it. Two processes pass a byte there and back."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --arch sparc64 -p function -l try_to_wake_up -l smp_send_reschedule -l reschedule_interrupt -l finish_task_switch "
    "-- 'pingpong 1'"
)

TRACE = """\
1 round trips, 249.940 us each
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
          <idle>-0       [000] d.h2.     0.073104: try_to_wake_up <-default_wake_function
            init-1       [000] d..2.     0.073156: finish_task_switch <-__schedule
            init-1       [000] d..2.     0.073499: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.073499: reschedule_interrupt <-etrap
              sh-16      [001] d..2.     0.073529: finish_task_switch <-schedule_tail
          <idle>-0       [000] d..2.     0.073627: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.075529: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.075530: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.075560: finish_task_switch <-schedule_tail
          <idle>-0       [001] d..2.     0.075725: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.077106: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.077107: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.077136: finish_task_switch <-schedule_tail
        pingpong-17      [000] ...1.     0.077188: try_to_wake_up <-wake_up_process
          <idle>-0       [001] d..2.     0.077198: finish_task_switch <-__schedule
        pingpong-17      [000] d..4.     0.077205: smp_send_reschedule <-resched_curr
        pingpong-18      [001] d..2.     0.077215: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.077218: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.077244: finish_task_switch <-__schedule
        pingpong-18      [001] d..1.     0.077306: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..4.     0.077316: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.077317: reschedule_interrupt <-etrap
        pingpong-17      [000] d..2.     0.077345: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.077354: finish_task_switch <-__schedule
        pingpong-17      [000] d..1.     0.077384: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..4.     0.077393: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.077394: reschedule_interrupt <-etrap
        pingpong-18      [001] d..2.     0.077422: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.077436: finish_task_switch <-__schedule
        pingpong-18      [001] d..3.     0.077601: try_to_wake_up <-default_wake_function
        pingpong-18      [001] d..6.     0.077613: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.077614: reschedule_interrupt <-etrap
          <idle>-0       [001] d..2.     0.077640: finish_task_switch <-__schedule
        pingpong-17      [000] d..2.     0.077642: finish_task_switch <-__schedule
        pingpong-17      [000] d..3.     0.077912: try_to_wake_up <-default_wake_function
        pingpong-17      [000] d..6.     0.077923: smp_send_reschedule <-resched_curr
          <idle>-0       [001] dn.1.     0.077924: reschedule_interrupt <-etrap
          <idle>-0       [000] d..2.     0.077951: finish_task_switch <-__schedule
              sh-16      [001] d..2.     0.077953: finish_task_switch <-__schedule
          <idle>-0       [000] d.s2.     0.078041: try_to_wake_up <-wake_up_process
     rcu_preempt-3       [000] d..2.     0.078070: finish_task_switch <-__schedule
          <idle>-0       [000] d..2.     0.078105: finish_task_switch <-__schedule
              sh-16      [001] d..3.     0.078173: try_to_wake_up <-default_wake_function
              sh-16      [001] d..6.     0.078185: smp_send_reschedule <-resched_curr
          <idle>-0       [000] dn.1.     0.078185: reschedule_interrupt <-etrap
            init-1       [000] d..2.     0.078205: finish_task_switch <-__schedule
          <idle>-0       [001] d..2.     0.078212: finish_task_switch <-__schedule
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("try_to_wake_up", "smp_send_reschedule", "reschedule_interrupt", "finish_task_switch")
