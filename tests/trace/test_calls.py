# SPDX-License-Identifier: GPL-2.0-only
"""Calls in columns: compared with a stack in Python, and cases with missing events."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from emu.trace import Trace
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat, Pages

A, B, C = 0xFFFFFFFF81000000, 0xFFFFFFFF81000040, 0xFFFFFFFF81000080
SYMBOLS = f"{A:x} T a\n{B:x} T b\n{C:x} T c\n{C + 64:x} T end\n"


def entry(function: int, depth: int, pid: int = 5) -> bytes:
    return struct.pack("<HBBiQi", 11, 0, 0, pid, function, depth)


def leave(function: int, depth: int, start: int, end: int, pid: int = 5) -> bytes:
    return struct.pack("<HBBiQiIQQ", 10, 0, 0, pid, function, depth, 0, start, end)


def calls(tmp_path: Path, *cpus: list[tuple[int, bytes]]) -> list[dict[str, object]]:
    data = []
    for events in cpus:
        pages = Pages()
        for when, event in events:
            pages.add(when, event)
        pages.flush()
        data.append(pages.data)
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat(data, kallsyms=SYMBOLS, cmdlines="5 name\n").version7())
    table = Trace.open(path).calls
    return [{name: table[name][n] for name in table} for n in range(table.count)]


def test_a_call_has_its_callees_time_beside_its_own(tmp_path: Path) -> None:
    outer, inner = calls(tmp_path, [(10, entry(A, 0)), (20, entry(B, 1)), (35, leave(B, 1, 20, 34)), (50, leave(A, 0, 10, 49))])
    assert (outer["function"], outer["duration"], outer["self_time"], outer["parent"]) == ("a", 39, 25, -1)
    assert (inner["function"], inner["duration"], inner["self_time"], inner["parent"]) == ("b", 14, 14, 0)
    assert outer["task"] == "name" and outer["finished"] and not outer["cut"]


def test_a_task_that_goes_to_another_cpu_takes_its_calls_along(tmp_path: Path) -> None:
    outer, inner = calls(tmp_path, [(10, entry(A, 0)), (20, entry(B, 1))], [(35, leave(B, 1, 20, 34)), (50, leave(A, 0, 10, 49))])
    assert outer["finished"] and inner["finished"] and outer["self_time"] == 25 and outer["cpu"] == 0


def test_each_cpu_has_an_idle_task_of_its_own(tmp_path: Path) -> None:
    first, second = calls(
        tmp_path,
        [(10, entry(A, 0, pid=0)), (40, leave(A, 0, 10, 39, pid=0))],
        [(11, entry(A, 0, pid=0)), (30, leave(A, 0, 11, 29, pid=0))],
    )
    assert (first["duration"], second["duration"]) == (29, 18)


def test_a_call_without_an_exit_is_not_finished(tmp_path: Path) -> None:
    first, second, third = calls(tmp_path, [(10, entry(A, 0)), (20, entry(B, 1)), (30, entry(C, 0)), (40, leave(C, 0, 30, 39))])
    assert [call["finished"] for call in (first, second, third)] == [False, False, True]
    assert first["exit"] == first["duration"] == 0


def test_a_call_without_an_entry_knows_when_it_began(tmp_path: Path) -> None:
    outer, inner = calls(tmp_path, [(20, entry(B, 1)), (35, leave(B, 1, 20, 34)), (50, leave(A, 0, 10, 49))])
    assert outer["cut"] and outer["entry"] == 10 and outer["duration"] == 39 and outer["self_time"] == 25
    assert not inner["cut"] and inner["parent"] == -1


@pytest.mark.parametrize("name", ["graph", "graph-depth", "graph-openat2"])
def test_of_a_real_linux(name: str) -> None:
    trace = Trace.open(GOLDEN / f"tracecmd-{name}.dat")
    table, exits = trace.calls, trace["funcgraph_exit"]
    assert int(table["finished"].sum()) == exits.count
    durations = sorted((exits["rettime"] - exits["calltime"]).tolist())
    assert sorted(table["duration"][table["finished"]].tolist()) == durations
    inner = [0] * (table.count + 1)
    for parent, duration in zip(table["parent"].tolist(), table["duration"].tolist(), strict=True):
        inner[parent] += duration
    strange = 0
    for n in (table["finished"] & ~table["cut"]).nonzero()[0].tolist():
        own = int(table["duration"][n]) - inner[n]
        strange += own < 0
        assert table["self_time"][n] == max(own, 0)
    assert strange <= 5  # interrupts that came after a call had begun, and before it was recorded
