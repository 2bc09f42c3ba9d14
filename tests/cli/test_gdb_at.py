# SPDX-License-Identifier: GPL-2.0-only
"""emu gdb --at: from an event of a trace.dat to the instant at which it was recorded, on a machine of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from emu.cli.recorded_run import TraceTime
from emu.gdb.server import Server
from emu.trace import Trace
from tests.cli.conftest import Emu


class Found(NamedTuple):
    """What gdb would find: the CPU, what it executes, its clock in nanoseconds, and the latest event's time on it."""

    cpu: int
    function: str
    time: int
    latest: int


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Found]:
    seen: list[Found] = []

    def serve(server: Server, more: Callable[[], bool]) -> None:
        travel = server._travel
        (top, *_) = [root for root in travel._driver.roots if hasattr(root, "trace_array")]
        arrays = [top.trace_array, *top.trace_array.instances.values()]
        latest = max(array.reader.latest_time(travel.cpu) for array in arrays)
        function = server._cpus[travel.cpu].symbol.split("+")[0]
        seen.append(Found(travel.cpu, function, travel.nanoseconds, latest))

    monkeypatch.setattr(Server, "serve", serve)
    return seen


CASES = {
    "functions": (("-p", "function"), "ftrace:function", "ftrace_caller"),
    "returns": (("-p", "function_graph", "-F"), "ftrace:funcgraph_exit", "ftrace_return_to_handler"),
    "events of an instance": (
        ("--seed", "3", "-B", "some", "-e", "sched:sched_wakeup"), "sched:sched_wakeup", "trace_event_buffer_commit",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_event_leads_to_where_it_is_recorded(
    arch: str, case: str, tmp_path: Path, emu: Emu, found: list[Found]
) -> None:
    options, event, function = CASES[case]
    file = tmp_path / "trace.dat"
    assert emu("record", "--arch", arch, *options, "-o", str(file), "--", "cat /proc/version | cat").status == 0
    events = Trace.open(file)[event]
    for row in (0, len(events["time"]) * 2 // 3):
        time, cpu = int(events["time"][row]), int(events["cpu"][row])
        done = emu("gdb", "--port", "0", "--at", f"{time / 10**9:.9f}", str(file))
        assert done.status == 0, done.err
        assert f"[{cpu:03}]" in done.err.splitlines()[0]
        place = found.pop()
        assert (place.cpu, place.function) == (cpu, function)
        assert place.latest < time and abs(place.time - time) < 10_000


def test_what_has_no_event_or_no_machine_is_one_line(tmp_path: Path, emu: Emu, found: list[Found]) -> None:
    file, text = tmp_path / "trace.dat", tmp_path / "text"
    text.write_text("no trace")
    assert emu("record", "-e", "sched:sched_switch", "-o", str(file), "--", "true").status == 0
    for words, why in (
        (["--at", "0.5", str(file)], "it has no event at 0.500000000 s: there are events from 0.0"),
        (["--at", "yesterday", str(file)], "--at: 'yesterday' is no time"),
        (["--at", "0.5", "-p", "function", str(file)], "-p does not go together with --at"),
        (["--at", "0.5", str(file), "more"], "--at needs a trace.dat"),
        (["--at", "0.5", str(text)], "there is no trace.dat"),
        (["--at", "0.5", str(tmp_path / "none")], "No such file"),
    ):
        done = emu("gdb", "--port", "0", *words)
        assert done.status == 2 and why in done.err and done.err.count("\n") == 1, done.err
    assert found == []


def test_another_image_is_another_machine(
    tmp_path: Path, emu: Emu, found: list[Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "trace.dat"
    assert emu("record", "-e", "sched:sched_switch", "-o", str(file), "--", "true").status == 0
    time = int(Trace.open(file)["sched:sched_switch"]["time"][0])
    monkeypatch.setattr("emu.trace.origin.version", lambda name: "0.0.0")
    done = emu("gdb", "--port", "0", "--at", f"{time / 10**9:.6f}", str(file))
    assert done.status == 2 and "it was recorded on another machine: other emu (" in done.err


def test_times_are_those_that_traces_show() -> None:
    assert TraceTime.parse("0.014349") == (14_349_000, 1000)
    assert TraceTime.parse("14.349ms") == (14_349_000, 1000)
    assert TraceTime.parse("3") == (3_000_000_000, 1_000_000_000)
    assert TraceTime.parse("14349999ns") == (14_349_999, 1)
    for wrong in ("", ".5", "1.", "0.0143490001", "1.5ns", "-1", "1h"):
        with pytest.raises(ValueError, match="is no time"):
            TraceTime.parse(wrong)


def test_gdb_traces_what_a_run_traces(arch: str, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing begins where the command is executed, so the run is the same."""
    words = ("--arch", arch, "-p", "function", "-F", "-e", "sched:sched_switch", "--", "cat /proc/version | cat")
    shown = emu("run", *words).out
    traces: list[bytes] = []

    def serve(server: Server, more: Callable[[], bool]) -> None:
        assert server._travel.go().status == 0
        traces.append(b"".join(server._monitor._views.trace("trace")))

    monkeypatch.setattr(Server, "serve", serve)
    assert emu("gdb", "--port", "0", *words).status == 0
    assert traces == [shown]
    assert shown.count(b"vfs_read") >= 4
