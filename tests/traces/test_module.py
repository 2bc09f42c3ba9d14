# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a module from its init to its exit: the filter is given before the module is there, and waits for it."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run -p function -l do_init_module -l '*:mod:sample_timer' -- 'modprobe sample_timer; sleep 0.02; rmmod sample_timer'"
)

TRACE = """\
[    0.055074] sample_timer: 5 beats
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
        modprobe-18      [001] .....     0.019172: do_init_module <-load_module
        modprobe-18      [001] .....     0.019173: sample_timer_init [sample_timer] <-do_one_initcall
        modprobe-18      [001] .....     0.019174: sample_thread_start [sample_timer] <-sample_timer_init [sample_timer]
   sample_thread-19      [001] .....     0.019299: sample_thread [sample_timer] <-kthread
   sample_thread-19      [001] .....     0.019300: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [001] d..1.     0.019302: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [001] .....     0.019303: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [000] .Ns1.     0.030019: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [000] .Ns1.     0.030019: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [000] dNs2.     0.030020: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [001] .....     0.031055: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [001] d..1.     0.031056: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [001] .....     0.031056: sample_rest [sample_timer] <-sample_thread [sample_timer]
          <idle>-0       [000] ..s1.     0.041015: sample_beat [sample_timer] <-call_timer_fn
          <idle>-0       [000] ..s1.     0.041015: sample_count [sample_timer] <-sample_beat [sample_timer]
          <idle>-0       [000] d.s2.     0.041016: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [001] .....     0.043034: sample_count [sample_timer] <-sample_thread [sample_timer]
   sample_thread-19      [001] d..1.     0.043035: sample_add [sample_timer] <-sample_count [sample_timer]
   sample_thread-19      [001] .....     0.043035: sample_rest [sample_timer] <-sample_thread [sample_timer]
           rmmod-21      [001] .....     0.046908: sample_timer_exit [sample_timer] <-delete_module
           rmmod-21      [001] .....     0.046912: sample_thread_stop [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-21      [001] .....     0.055067: sample_count [sample_timer] <-sample_timer_exit [sample_timer]
           rmmod-21      [001] d..1.     0.055067: sample_add [sample_timer] <-sample_count [sample_timer]
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("do_init_module", "sample_*")
