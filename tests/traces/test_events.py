# SPDX-License-Identifier: GPL-2.0-only
"""Events of the scheduler and of interrupts: a program sleeps for a millisecond, and is woken by its timer."""

from __future__ import annotations

import re

from tests.traces.run import Run

COMMAND = "emu run --cpus 1 -e sched_switch -e sched_wakeup -e irq -- usleep 1000"

TRACE = """\
# tracer: nop
#
# entries-in-buffer/entries-written: 8/8   #P:1
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          usleep-13      [000] d..2.     0.021843: sched_switch: prev_comm=usleep prev_pid=13 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0       [000] dNh4.     0.022843: sched_wakeup: comm=usleep pid=13 prio=120 target_cpu=000
          <idle>-0       [000] d..2.     0.022859: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=usleep next_pid=13 next_prio=120
          usleep-13      [000] dN.6.     0.022960: sched_wakeup: comm=init pid=1 prio=120 target_cpu=000
          usleep-13      [000] d..2.     0.022969: sched_switch: prev_comm=usleep prev_pid=13 prev_prio=120 prev_state=R+ ==> next_comm=init next_pid=1 next_prio=120
            init-1       [000] d.h2.     0.023009: softirq_raise: vec=1 [action=TIMER]
            init-1       [000] ..s2.     0.023019: softirq_entry: vec=1 [action=TIMER]
            init-1       [000] ..s2.     0.023019: softirq_exit: vec=1 [action=TIMER]
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_what_the_events_say(run: Run) -> None:
    """For each event, a function is called next to it."""
    functions = {
        "irq_handler_entry": "host_device_handler",
        "sched_switch": "__switch_to",
        "sched_wakeup": "ttwu_do_wakeup",
        "softirq_entry: vec=1 [action=TIMER]": "run_timer_softirq",
        "softirq_entry: vec=7 [action=SCHED]": "run_rebalance_domains",
        "softirq_raise: vec=1 [action=TIMER]": "raise_softirq",
    }
    events = re.findall(r"[\d.]+: (softirq_(?:entry|raise): .*|\w+(?=: ))", run.text)
    assert {0: [functions[event] for event in events if event in functions]} == run.seen(*functions.values())
