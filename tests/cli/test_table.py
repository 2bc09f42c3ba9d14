# SPDX-License-Identifier: GPL-2.0-only
"""Tables fit 80 columns unless there is a wider terminal, and their numbers are complete, however large."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from emu.cli.stat import function_table, text
from emu.cli.stat.events import BY_FUNCTION, SHOWN
from emu.cli.stat.results import DURATION, Results, Run
from emu.cli.table import Column, fitted
from emu.cpu.timing import TimingNames
from emu.trace import Trace
from emu.trace.call_tree import call_tree
from emu.trace.function_times import function_times
from tests.cli.conftest import Emu
from tests.lib.trace_dat import Dat, Pages

DEPTH = 30
NAMES = [f"function_{n}_with_a_name_that_is_longer_than_most_are" for n in range(DEPTH)]
ADDRESS = 0xFFFFFFFF81000000
SYMBOLS = "".join(f"{ADDRESS + 64 * n:x} T {name}\n" for n, name in enumerate(NAMES)) + f"{ADDRESS + 64 * DEPTH:x} T end\n"
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e-\d+)?")


def recorded(path: Path, scale: int, repeat: int = 3) -> Path:
    """A trace.dat of calls nested as deep as DEPTH, with durations multiplied by `scale`."""
    pages, time = Pages(), 1000
    for _ in range(repeat):
        starts = []
        for depth in range(DEPTH):
            time += 11
            starts.append(time)
            pages.add(time, struct.pack("<HBBiQi", 11, 0, 0, 12345, ADDRESS + 64 * depth, depth))
        for depth in reversed(range(DEPTH)):
            time += (depth + 1) * scale
            exit_ = struct.pack("<HBBiQiIQQ", 10, 0, 0, 12345, ADDRESS + 64 * depth, depth, 0, starts[depth], time)
            pages.add(time, exit_)
    pages.flush()
    path.write_bytes(Dat([pages.data], kallsyms=SYMBOLS, cmdlines="12345 kworker/u256:1-events_unbound\n").version7())
    return path


def numbers(said: str) -> set[str]:
    return set(NUMBER.findall(said))


def microseconds(nanoseconds: float | None) -> str:
    assert nanoseconds is not None
    return f"{nanoseconds / 1000:,.3f}"


@pytest.fixture(params=[1, 10**6, 1_234_567_890_123], ids=["short", "long", "longest"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return recorded(tmp_path / "trace.dat", request.param)


def shown(emu: Emu, *words: str) -> str:
    """The standard output, whose lines must fit."""
    said = emu(*words).out.decode()
    assert max(map(len, said.splitlines())) <= 80
    return said


@pytest.mark.parametrize("words", [[], ["--by", "process"], ["--by", "process", "--by", "cpu"]])
def test_functions(file: Path, words: list[str], emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = set()
    for row in function_times(Trace.open(file)):
        expected |= {microseconds(time) for time in (row.self_time, row.total, row.minimum, row.mean, row.maximum)}
    assert expected | {"3"} <= numbers(shown(emu, "top", *words, str(file)))
    monkeypatch.setenv("COLUMNS", "250")
    wide = emu("top", *words, str(file)).out.decode().splitlines()
    assert len(wide) == 1 + DEPTH and all(name in "".join(wide) for name in NAMES)


def test_a_tree(file: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, left = set(), [call_tree(Trace.open(file))]
    while left:
        node = left.pop()
        left += node.children
        expected |= {microseconds(node.total)} | ({microseconds(node.self_time)} if node.function else set())
    said = shown(emu, "tree", "--least", "0", str(file))
    assert expected <= numbers(said)
    assert re.search(r"^… +└── ", said, re.MULTILINE)  # outer levels that do not fit
    monkeypatch.setenv("COLUMNS", "250")
    assert len(emu("tree", "--least", "0", str(file)).out.splitlines()) == 1 + DEPTH


@pytest.mark.parametrize("by", ["path", "function"])
def test_differences(by: str, tmp_path: Path, emu: Emu) -> None:
    files = [str(recorded(tmp_path / f"{n}.dat", 1_234_567_890_123 * (n + 1), 3 + n)) for n in (0, 1)]
    expected = set()
    first, second = ({row.function: row for row in function_times(Trace.open(name))} for name in files)
    for name in NAMES:
        times = [first[name].self_time or 0, second[name].self_time or 0]
        expected |= {f"{(times[1] - times[0]) / 1000:+,.3f}", microseconds(times[0] / 3), microseconds(times[1] / 4)}
    said = shown(emu, "diff", "--by", by, *files)
    assert expected <= numbers(said)
    if by == "path":
        assert " > ".join(NAMES) in " ".join(said.split())  # complete, on lines of its own


def test_changes_of_several_runs(tmp_path: Path, emu: Emu) -> None:
    for n, side in enumerate("AB"):
        (tmp_path / side).mkdir()
        for run in range(8):
            recorded(tmp_path / side / f"{run}.dat", 1_234_567_890_123 * (n + 1) + 10**6 * run)
    said = shown(emu, "diff", str(tmp_path / "A"), str(tmp_path / "B"))
    means = [10**6 * 3.5 + 1_234_567_890_123 * (n + 1) for n in (0, 1)]
    assert {microseconds(mean * DEPTH) for mean in means} <= numbers(said)


def results(runs: int) -> Results:
    """Counts of 128 CPUs that ran for a day."""
    events = [*SHOWN, DURATION]
    counted = [
        Run(
            86_400_123_456_789 + run, [{event: 86_400_123_456_789 + 10**9 * n + run for n, event in enumerate(events)}] * 128,
            {name: {event: 11_059_215_802_468 + 10**9 * n for n, event in enumerate(events)} for name in NAMES},
        )
        for run in range(runs)
    ]  # fmt: skip
    return Results(TimingNames("caches", "zen3"), counted)


@pytest.mark.parametrize(("runs", "per_cpu"), [(1, False), (3, False), (1, True)])
def test_counts(runs: int, per_cpu: bool) -> None:
    found, events = results(runs), [*SHOWN, DURATION]
    said = "".join(text.rows(found, events, per_cpu, 80))
    assert max(map(len, said.splitlines())) <= 80
    figures = [found.figure(event, cpu) for event in events for cpu in (range(128) if per_cpu else [None])]
    assert {text.number(figure.mean) for figure in figures if figure} <= numbers(said)


@pytest.mark.parametrize("events", [BY_FUNCTION, SHOWN])
def test_counts_of_functions(events: Sequence[str]) -> None:
    found = results(1)
    said = "".join(function_table.table(found, events, 5, 80))
    assert max(map(len, said.splitlines())) <= 80
    assert {text.number(figure.mean) for figure in found.functions(events)[NAMES[0]].values()} <= numbers(said)


def test_the_list_of_tours(emu: Emu) -> None:
    assert "irqsoff" in shown(emu, "tour", "--list")


def test_a_table_uses_the_room_that_there_is() -> None:
    columns = [Column("self us"), Column("calls"), Column("function", "name")]
    rows = [["1,234.500", "7", "schedule"], ["0.100", "12,345", "sysvec_call_function_single"]]

    def lines(width: int) -> list[str]:
        head, body = fitted(columns, rows, width)
        return [*head, *body]

    assert lines(60) == [
        "  self us   calls  function",
        "1,234.500       7  schedule",
        "    0.100  12,345  sysvec_call_function_single",
    ]
    assert lines(44)[-1] == "    0.100 12,345 sysvec_call_function_single"
    assert lines(36)[1:] == ["1,234.500      7 schedule", "    0.100 12,345 sysvec_call_functi…"]
    assert lines(24) == [
        "  self us   calls",
        "  function",
        "1,234.500       7",
        "  schedule",
        "    0.100  12,345",
        "  sysvec_call_function_…",
    ]
