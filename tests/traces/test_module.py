# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a module from its init to its exit: the filter is set before the module is loaded, and waits for it."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run -p function -l do_init_module -l '*:mod:sample_timer' -- 'modprobe sample_timer; sleep 0.02; rmmod sample_timer'"
)

TRACE = """\
[    0.055076] sample_timer: 5 beats
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
        modprobe-18      [000] .....     0.019166: do_init_module <-load_module
        modprobe-18      [000] .....     0.019166: sample_timer_init [sample_timer] <-do_one_initcall
        modprobe-18      [000] .....     0.019167: sample_thread_start [sample_timer] <-sample_timer_init [sample_timer]
   sample_thread-19      [000] .....     0.019292: sample_thread [sample_timer] <-kthread
   sample_thread-19      [000] .....     0.019293: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [000] d..1.     0.019294: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [000] .....     0.019295: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [001] ..s1.     0.030270: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [001] ..s1.     0.030270: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [001] d.s2.     0.030272: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [000] .....     0.031031: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [000] d..1.     0.031032: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [000] .....     0.031033: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [001] ..s1.     0.041015: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [001] ..s1.     0.041015: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [001] d.s2.     0.041016: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [000] .....     0.043032: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [000] d..1.     0.043032: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [000] .....     0.043033: sample_rest [sample_timer] <-sample_thread [sample_timer]
           rmmod-21      [000] .....     0.046210: sample_timer_exit [sample_timer] <-delete_module
           rmmod-21      [000] .....     0.046214: sample_thread_stop [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-21      [000] .....     0.055068: sample_count [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-21      [000] d..1.     0.055068: sample_add [sample_timer] <-sample_count [sample_timer]
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("do_init_module", "sample_*")
