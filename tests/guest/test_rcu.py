# SPDX-License-Identifier: GPL-2.0-only
"""RCU: nothing is freed under a reader, and grace periods end, whether CPUs are busy, idle or preempt readers."""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine

LINE = re.compile(r"^\s*(\S+)-(\d+)\s+\[(\d+)\]\s+(\S+)\s+([\d.]+): (\w+) <-(\w+)$", re.MULTILINE)


def traced(machine: Machine, functions: str, command: str) -> list[tuple[str, ...]]:
    """The function trace of a command: task, pid, CPU, flags, time, function, caller."""
    machine.tracefs.write("set_ftrace_filter", functions)
    machine.tracefs.write("current_tracer", "function")
    assert machine.run(command).status == 0
    machine.advance(20_000_000)
    return LINE.findall(machine.tracefs.read("trace"))


@pytest.mark.parametrize(("size", "quantum"), [(0, 1000), (1, 50), (2, 1000)], ids=["one", "few", "many"])
def test_nothing_is_freed_under_a_reader(arch: str, size: int, quantum: int) -> None:
    with Machine(arch=arch, cpus=FACTS[arch].cpus[size], quantum=quantum) as machine:
        for _ in range(2):
            assert machine.run("echo RCU > /dev/lkdtm").status == 0
            assert machine.warnings == []


def test_a_grace_period_is_the_work_of_its_thread(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        events = traced(machine, "rcu_gp_init rcu_gp_fqs_loop rcu_gp_cleanup rcu_do_batch", "echo RCU > /dev/lkdtm")
    thread = [(function, caller) for comm, *_, function, caller in events if comm == "rcu_preempt"]
    assert {caller for _, caller in thread} == {"rcu_gp_kthread"}
    periods = [function for function, _ in thread]
    assert len(periods) >= 9
    assert periods == ["rcu_gp_init", "rcu_gp_fqs_loop", "rcu_gp_cleanup"] * (len(periods) // 3)
    callbacks = [(flags, caller) for _, _, _, flags, _, function, caller in events if function == "rcu_do_batch"]
    assert callbacks
    assert {(flags[2], caller) for flags, caller in callbacks} == {("s", "rcu_core")}


def test_a_reader_that_is_preempted_holds_its_grace_period_up(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        events = traced(machine, "rcu_preempt_ctxt_queue rcu_preempt_unblock", "echo RCU > /dev/lkdtm")
    readers = {comm for comm, *_ in events}
    assert readers and all(comm.startswith("lkdtm_rcu/") for comm in readers)
    for reader in readers:
        functions = [event[5] for event in events if event[0] == reader]
        assert functions == ["rcu_preempt_ctxt_queue", "rcu_preempt_unblock"] * (len(functions) // 2)


def test_a_dead_task_is_freed_after_a_grace_period(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        events = traced(machine, "release_task rcu_gp_cleanup delayed_put_task_struct", "true; (true); (true)")
    order = [event[5] for event in events]
    assert order.count("release_task") == order.count("delayed_put_task_struct") >= 2
    assert order.index("release_task") < order.index("rcu_gp_cleanup") < order.index("delayed_put_task_struct")


def test_an_idle_machine_has_no_grace_periods(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.run("true")
        machine.advance(50_000_000)
        machine.tracefs.write("set_ftrace_filter", "rcu_*")
        machine.tracefs.write("current_tracer", "function")
        machine.advance(50_000_000)
        started = len(LINE.findall(machine.tracefs.read("trace")))
        assert not machine.advance(1_000_000_000)
        assert len(LINE.findall(machine.tracefs.read("trace"))) == started
