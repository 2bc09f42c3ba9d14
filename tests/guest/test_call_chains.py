# SPDX-License-Identifier: GPL-2.0-only
"""The call chains that Linux 6.1 users look for in a graph: which function calls which, and in what order."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

# Calls to find below the first function, outermost first; "..." is any number of calls in between.
CHAINS = {
    "wake_up_process": ("try_to_wake_up ... ttwu_do_activate activate_task enqueue_task_fair", "hackbench -g 1 -l 2"),
    "hrtimer_wakeup": ("wake_up_process try_to_wake_up", "usleep 1"),
    "do_nanosleep": ("hrtimer_sleeper_start_expires hrtimer_start_range_ns", "usleep 1"),
    "complete": ("swake_up_locked wake_up_process try_to_wake_up", "modprobe sample_timer; rmmod sample_timer"),
    "wait_for_completion": ("wait_for_common do_wait_for_common __prepare_to_swait", "modprobe sample_timer; rmmod sample_timer"),
    "__mutex_unlock_slowpath": ("wake_up_q wake_up_process try_to_wake_up", "hackbench -g 1 -l 20"),
    "futex_wake": ("wake_up_q wake_up_process try_to_wake_up", "threads"),
    "mutex_lock": ("__might_sleep", "hackbench -g 1 -l 2"),
    "__mutex_lock_slowpath": ("schedule_preempt_disabled schedule __schedule", "hackbench -g 1 -l 20"),
    "hrtimer_interrupt": ("__hrtimer_run_queues tick_sched_timer tick_sched_handle update_process_times run_local_timers "
                          "softlockup_tick __touch_softlockup_watchdog", "spin 5"),
    "run_timer_softirq": ("expire_timers call_timer_fn", "modprobe sample_timer; sleep 0.02; rmmod sample_timer"),
    "run_ksoftirqd": ("__do_softirq tasklet_action", "echo TASKLET > /dev/lkdtm"),
    "__schedule": ("deactivate_task dequeue_task_fair", "usleep 1"),
    "synchronize_rcu": ("__wait_rcu_gp ... schedule", "modprobe sample_timer; rmmod sample_timer"),
}
# Calls of one function, in the order in which it makes them.
ORDERS = {
    "run_local_timers": ("hrtimer_run_queues raise_softirq softlockup_tick", "spin 5"),
    "try_to_wake_up": ("_raw_spin_lock_irqsave ttwu_queue _raw_spin_unlock_irqrestore", "usleep 1"),
    "__do_softirq": ("__local_bh_disable_ip run_timer_softirq __local_bh_enable", "spin 5"),
    "schedule_preempt_disabled": ("preempt_count_sub schedule preempt_count_add", "hackbench -g 1 -l 20"),
}
ENTRY = re.compile(r"^ \d+\) .*\|(?P<indent>  +)(?P<name>[\w.]+)\(\)(?: \{|;)$")


@pytest.fixture(scope="module")
def booted(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=1) as machine:
        yield machine


def graph(machine: Machine, function: str, command: str) -> list[tuple[int, str]]:
    """Depth and name of all calls from the function on, while the command runs."""
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_graph_function", function)
    machine.tracefs.write("current_tracer", "function_graph")
    assert machine.run(command, trace=True).status == 0
    found = map(ENTRY.match, machine.tracefs.read("trace").splitlines())
    return [(len(entry["indent"]) // 2 - 1, entry["name"]) for entry in found if entry]


@pytest.mark.static_timing("whether a lock is taken when it is wanted depends on times")
@pytest.mark.parametrize("function", CHAINS)
def test_a_chain(booted: Machine, function: str) -> None:
    wanted, command = CHAINS[function]
    chain: list[str] = []
    pattern = re.compile(f"{function} {wanted}".replace(" ... ", r"( [\w.]+)* "))
    seen = set()
    for depth, name in graph(booted, function, command):
        chain[depth:] = [name]
        seen.add(" ".join(chain))
    assert any(map(pattern.fullmatch, seen)), sorted(seen)


@pytest.mark.static_timing("whether an order is met is chance")
@pytest.mark.parametrize("function", ORDERS)
def test_an_order(booted: Machine, function: str) -> None:
    wanted, command = ORDERS[function]
    orders: list[list[str]] = []
    for depth, name in graph(booted, function, command):
        if depth == 0:
            orders.append([])
        elif depth == 1 and orders:
            orders[-1].append(name)
    assert any([name for name in order if name in wanted.split()] == wanted.split() for order in orders), orders


@pytest.mark.static_timing("an interrupt comes within a softirq by chance")
def test_an_interrupt_in_a_softirq(arch: str) -> None:
    """A hard interrupt comes during a softirq, between the arrows and inside the braces of the softirq."""
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("set_graph_function", "__do_softirq")
        machine.tracefs.write("current_tracer", "function_graph")
        machine.run("hackbench -g 2 -l 30", trace=True)
        text = machine.tracefs.read("trace")
    nested = re.findall(r"==========> \|\n \d\) +\|    +(\w+)\(\) \{$", text, re.M)
    assert nested
