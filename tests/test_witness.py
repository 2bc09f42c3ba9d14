# SPDX-License-Identifier: GPL-2.0-only
"""The function trace is exactly what happened: nothing lost, nothing invented."""

from __future__ import annotations

import numpy as np
import pytest

from emu.ftrace import events
from emu.machine import Machine
from tests.witness import Entry, Witness, by_context

PIPELINE = "ls /bin | sed s/[aeiou]/z/g"


def idle(machine: Machine) -> None:
    """Lets everything that was started come to rest, so that no CPU is in the middle of a call."""
    machine.advance(20_000_000)


def traced(machine: Machine, cpu: int) -> list[Entry]:
    """The function events of a CPU, in the same terms."""
    rows = machine.engine.rings[cpu].unread().entries(events.FUNCTION)
    assert (rows["type"] == events.EventType.FUNCTION).all()
    fields = (rows[name].tolist() for name in ("ip", "pid", "flags", "preempt_count"))
    return [
        Entry(ip, pid, bool(flags & events.Flag.IRQS_OFF), as_shown(flags, depth))
        for ip, pid, flags, depth in zip(*fields, strict=True)
    ]


def as_shown(flags: int, depth: int) -> int:
    """What an event keeps of preempt_count."""
    return depth | (flags & int(events.Flag.HARDIRQ | events.Flag.SOFTIRQ | events.Flag.NMI | events.Flag.BH_OFF)) << 8


def as_event(count: int) -> tuple[int, int]:
    """preempt_count as an event keeps it: (flags, depth)."""
    flags = events.Flag(0)
    for bits, flag in (
        (0xF00000, events.Flag.NMI),
        (0x0F0000, events.Flag.HARDIRQ),
        (0x000100, events.Flag.SOFTIRQ),
        (0x00FE00, events.Flag.BH_OFF),
    ):
        if count & bits:
            flags |= flag
    return int(flags), min(count & 0xFF, 15)


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_the_function_trace_is_what_the_witness_saw(arch: str, cpus: int, protocol: str) -> None:
    with Machine(arch=arch, cpus=cpus, seed=cpus) as machine:
        machine.engine.protocol = protocol
        witness = Witness(machine)
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", "50000")
        machine.tracefs.write("current_tracer", "function")
        machine.tracefs.write("tracing_on", "1")
        witness.on = True
        assert machine.run(PIPELINE).status == 0
        idle(machine)
        witness.on = False
        machine.tracefs.write("tracing_on", "0")
        total = 0
        for cpu in range(cpus):
            seen = [entry._replace(preempt_count=as_shown(*as_event(entry.preempt_count))) for entry in witness.entries(cpu)]
            recorded = traced(machine, cpu)
            total += len(recorded)
            assert by_context(recorded) == by_context(seen)
            assert machine.engine.rings[cpu].overrun == machine.engine.rings[cpu].dropped_events == 0
        assert total > 5_000


@pytest.mark.parametrize("cpus", [1, 4])
def test_every_graph_entry_has_its_exit_in_order_per_task(arch: str, cpus: int) -> None:
    with Machine(arch=arch, cpus=cpus) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", "50000")
        machine.tracefs.write("current_tracer", "function_graph")
        machine.tracefs.write("tracing_on", "1")
        assert machine.run(PIPELINE).status == 0
        idle(machine)
        machine.tracefs.write("tracing_on", "0")
        rows = []
        for ring in machine.engine.rings:
            found = ring.unread()
            both = found.entries(events.FUNCGRAPH_ENTRY)
            rows += [
                (int(time), ring.cpu, int(row["pid"]), int(row["type"]), int(row["func"]), int(row["depth"]))
                for time, row in zip(found.time, both, strict=True)
            ]
        rows.sort(key=lambda row: row[0])
        stacks: dict[tuple[int, int], list[tuple[int, int]]] = {}
        unmatched = 0
        for _, cpu, pid, kind, function, depth in rows:
            stack = stacks.setdefault((pid, cpu if pid == 0 else -1), [])
            if kind == events.EventType.FUNCGRAPH_ENTRY:
                assert not stack or depth == stack[-1][1] + 1
                stack.append((function, depth))
            elif stack:
                assert stack.pop() == (function, depth)
            else:
                unmatched += 1  # the call was under way when the tracer started: its entry is not in the buffer
        assert len(rows) > 10_000
        assert unmatched == 0
        waiting = {machine.kernel.image.function_at(f).name for stack in stacks.values() for f, _ in stack}
        assert "do_exit" in waiting  # a task that has ended never comes back from there
        assert np.all([depth >= 0 for stack in stacks.values() for _, depth in stack])
