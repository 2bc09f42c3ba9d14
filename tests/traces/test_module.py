# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a module from its init to its exit: the filter is given before the module is there, and waits for it."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run -p function -l do_init_module -l '*:mod:sample_timer' -- 'modprobe sample_timer; sleep 0.02; rmmod sample_timer'"
)

TRACE = """\
[    0.067093] sample_timer: 5 beats
# tracer: function
#
# entries-in-buffer/entries-written: 23/23   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
        modprobe-17      [000] .....     0.031217: do_init_module <-load_module
        modprobe-17      [000] .....     0.031218: sample_timer_init [sample_timer] <-do_one_initcall
        modprobe-17      [000] .....     0.031218: sample_thread_start [sample_timer] <-sample_timer_init [sample_timer]
   sample_thread-18      [000] .....     0.031390: sample_thread [sample_timer] <-kthread
   sample_thread-18      [000] .....     0.031390: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-18      [000] d..1.     0.031391: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-18      [000] .....     0.031392: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [001] ..s1.     0.042275: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [001] ..s1.     0.042275: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [001] d.s2.     0.042276: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-18      [000] .....     0.043055: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-18      [000] d..1.     0.043056: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-18      [000] .....     0.043057: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [001] ..s1.     0.053024: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [001] ..s1.     0.053024: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [001] d.s2.     0.053025: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-18      [000] .....     0.055054: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-18      [000] d..1.     0.055055: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-18      [000] .....     0.055056: sample_rest [sample_timer] <-sample_thread [sample_timer]
           rmmod-20      [000] .....     0.059036: sample_timer_exit [sample_timer] <-delete_module
           rmmod-20      [000] .....     0.059039: sample_thread_stop [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-20      [000] .....     0.067083: sample_count [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-20      [000] d..1.     0.067084: sample_add [sample_timer] <-sample_count [sample_timer]
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("do_init_module", "sample_*")
