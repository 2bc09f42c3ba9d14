# SPDX-License-Identifier: GPL-2.0-only
"""What depends on the length of CPUs' turns, and what does not."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping

import pytest

from emu.cpu.arch import CpuArch
from emu.machine import Machine

_MEMORY = 32 << 20
COMMAND = "ls /bin | wc"


def of_one_cpu(quantum: int, timing: str = "caches") -> tuple[str, str, int, Mapping[str, int]]:
    """The state of the timing model, the trace, the clock and the counts at the end."""
    with Machine(cpus=1, timing=timing, memory=_MEMORY, quantum=quantum) as machine:
        machine.tracefs.write("current_tracer", "function_graph")
        with machine.counting() as counts:
            machine.run(COMMAND)
        trace = hashlib.sha256(machine.tracefs.read("trace").encode()).hexdigest()
        assert machine.board.timing is not None
        counted = {name: counts[name] for name in counts.events}
        return machine.board.timing.digest(), trace, machine.board.now, counted


@functools.cache
def usual() -> tuple[str, str, int, Mapping[str, int]]:
    return of_one_cpu(1000)


@pytest.mark.parametrize("quantum", [100, 10_000])
def test_on_one_cpu_nothing_depends_on_the_quantum(quantum: int) -> None:
    assert of_one_cpu(quantum) == usual()


@pytest.mark.parametrize("turn", [401, 1063, 1711])
def test_on_one_cpu_nothing_depends_on_where_turns_end(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some turns end within a string instruction, and within a line that it copies."""
    expected = usual()
    monkeypatch.setattr(CpuArch, "longest_turn", turn)
    assert of_one_cpu(400) == expected


def of_programs(quantum: int) -> Mapping[str, Mapping[str, int]]:
    """By name, the user-mode counters of single-threaded programs that run while others do."""
    with Machine(cpus=2, timing="caches", memory=_MEMORY, quantum=quantum) as machine:
        with machine.counting(functions=True) as counts:
            machine.run("busy 1 20 > /dev/null & ls /bin | wc; sed s/a/b/ /proc/cpuinfo")
        return {name: counts.functions[f"[user] {name}"] for name in ("ls", "wc", "sed")}


def test_what_a_program_executes_does_not_depend_on_the_quantum() -> None:
    """But an interrupt right behind a branch hides the branch: its outcome is not seen."""
    found = [of_programs(quantum) for quantum in (100, 1000, 4000)]
    for name in found[0]:
        rows = [programs[name] for programs in found]
        assert len({row["instructions"] for row in rows}) == 1, name
        for event in ("branches", "conditional-branches", "returns", "indirect-branches"):
            counts = [row[event] for row in rows]
            assert max(counts) - min(counts) <= max(row["traps"] for row in rows), (name, event)
    assert len({tuple(row["cycles"] for row in programs.values()) for programs in found}) > 1
