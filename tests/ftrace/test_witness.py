# SPDX-License-Identifier: GPL-2.0-only
"""The function trace is exactly what happened: nothing lost, nothing invented."""

from __future__ import annotations

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.graph_calls import check_calls, start_graph
from tests.lib.witness import Witness, by_context, in_columns, recorded, shown

SIZES = [(0, 0), (1, 1), pytest.param(2, 0, marks=pytest.mark.long("as many CPUs as tests use", but="x86_64"))]
PIPELINE = "ls /bin | sed s/[aeiou]/z/g"


def load(cpus: int) -> str:
    """A command that keeps every CPU busy for a while."""
    return f"{PIPELINE}; busy {cpus} 1"


def idle(machine: Machine) -> None:
    """Waits until all tasks are idle, so that no CPU is in the middle of a call."""
    machine.advance(20_000_000)


@pytest.mark.static_timing("what began before a witness looks is not seen")
@pytest.mark.parametrize(("size", "protocol"), SIZES, ids=["one", "few-other", "many"])
def test_the_function_trace_is_what_the_witness_saw(arch: str, size: int, protocol: int) -> None:
    cpus = FACTS[arch].cpus[size]
    with Machine(arch=arch, cpus=cpus, seed=cpus) as machine:
        machine.patching.protocol = machine.ftrace.arch.protocols[protocol]
        witness = Witness(machine)
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(100_000 // cpus))
        machine.tracefs.write("current_tracer", "function")
        machine.tracefs.write("tracing_on", "1")
        witness.on = True
        assert machine.run(load(cpus)).status == 0
        idle(machine)
        witness.on = False
        machine.tracefs.write("tracing_on", "0")
        seen = [[shown(entry) for entry in witness.entries(cpu)] for cpu in range(cpus)]
        trace = [recorded(machine, cpu) for cpu in range(cpus)]
        assert all(trace)  # the load is on every CPU
        assert by_context(trace) == by_context(seen)
        assert [in_columns(machine, cpu) for cpu in range(cpus)] == trace
        assert all(ring.overrun == ring.dropped_events == 0 for ring in machine.trace_array.recorder.rings)
        assert sum(map(len, trace)) > 5_000


@pytest.mark.parametrize("size", [0, 2], ids=["one", "many"])
def test_every_graph_entry_has_its_exit_in_order_per_task(arch: str, size: int) -> None:
    cpus = FACTS[arch].cpus[size]
    with booted_machine(arch, cpus=cpus) as machine:
        start_graph(machine)
        assert machine.run(load(cpus)).status == 0
        idle(machine)
        machine.tracefs.write("tracing_on", "0")
        count, waiting = check_calls(machine)
        assert count > 10_000
        assert "do_exit" in waiting  # a task that has ended never returns from there
        assert machine.warnings == []
