# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of a trace into the formats of other tools, against the usual ways to produce these, in the same run, in processor
time.

    ./venv python benchmarks/convert.py [CALLS]

perfetto    the packets of a file's events, against the same events built with the objects of the package `perfetto`;
            at least 2 times as fast. Both have the same columns. The events must be the same.
folded      `emu convert` of a trace.dat, the whole process, against a script that folds the lines of `emu report`, which
            are there already; at most 0.5 times its time. The script (benchmarks/fold_report.py) is our own: it does what
            the usual stackcollapse scripts do, a line at a time. The stacks must be the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import report
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from emu.trace import Trace
from emu.trace.convert import FORMATS, ConvertOptions
from emu.trace.convert.field_columns import FieldColumn, field_columns
from emu.trace.convert.perfetto.messages import MESSAGES
from emu.trace.report import ReportContext

LEAST, MOST = 2.0, 0.5
DEPTH = 4
LEVELS = range(DEPTH)
NEST = np.dtype([(f"entry{level}", report.ENTRY) for level in LEVELS] + [(f"exit{level}", report.EXIT) for level in LEVELS[::-1]])
ROUNDS = 3  # the best one counts
FOLD = Path(__file__).with_name("fold_report.py")


def nested(units: NDArray[Any], random: np.random.Generator, cpu: int, start: NDArray[np.uint64]) -> None:
    """Nested calls: each function calls one of eight callees of its own."""
    first = start + np.arange(units.shape[1], dtype=np.uint64) * np.uint64(2 * DEPTH * report.STEP)
    function = np.zeros(units.shape, np.int64)
    for level in LEVELS:
        entry, exit_ = units[f"entry{level}"], units[f"exit{level}"]
        function = (8 * function + random.integers(1, 9, units.shape)) % report.FUNCTIONS
        report.head(entry, 11, cpu)
        report.head(exit_, 10, cpu)
        for records in (entry, exit_):
            records["func"], records["depth"] = report.TEXT + np.uint64(64) * function.astype(np.uint64), level
        exit_["calltime"] = first + np.uint64((level + 1) * report.STEP)
        exit_["rettime"] = first + np.uint64((2 * DEPTH - level) * report.STEP)


def files(folder: Path, calls: int) -> Iterator[tuple[str, Path]]:
    """Calls with their returns on one CPU; the same number of events on two CPUs: function calls, switches and run times."""
    folder.mkdir(exist_ok=True)
    for name, unit, fill, each, cpus in (
        ("function_graph", NEST, nested, 2 * DEPTH, 1), ("functions and sched", report.MIXED, report.mixed, 10, 2),
    ):  # fmt: skip
        path = folder / f"{name.replace(' ', '-')}.dat"
        report.write(path, report.pages(unit, 2 * calls, fill, each, cpus))
        yield name, path


def processor_time(work: Callable[[Path], bytes], path: Path) -> float:
    """The best of some rounds, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work(path)
        taken.append(time.process_time() - start)
    return min(taken)


def ours(path: Path) -> bytes:
    return b"".join(FORMATS["pftrace"].pieces(Trace.open(path), ConvertOptions()))


def objects(path: Path) -> bytes:
    """The same events as objects of the package, one after the other; the columns are made as emu makes them."""
    trace = Trace.open(path)
    context = ReportContext(trace)
    found = protos.Trace()
    symbols: dict[str, int] = {}
    for cpu in trace.first.cpus:
        events = found.packet.add().ftrace_events
        events.cpu = cpu
        for path_, table in trace.events.items():
            mine = np.flatnonzero(table["common_cpu"] == cpu)
            name, message = path_.partition(":")[2], MESSAGES.get(path_)
            found_columns = field_columns(context, table)
            columns = {column.name: values(column, symbols, message is not None)[mine].tolist() for column in found_columns}
            rows = zip(table["common_time"][mine].tolist(), table["common_pid"][mine].tolist(), *columns.values(), strict=True)
            for when, pid, *row in rows:
                event = events.event.add()
                event.timestamp, event.pid = when, pid
                if message:
                    typed = getattr(event, name)
                    for field, value in zip(columns, row, strict=True):
                        setattr(typed, field, value)
                    continue
                event.generic.event_name = name
                for field, value in zip(columns, row, strict=True):
                    kind = "str" if isinstance(value, str) else "int" if table[field].dtype.kind == "i" else "uint"
                    event.generic.field.add(name=field, **{f"{kind}_value": value})
    names = found.packet.add().interned_data.kernel_symbols
    for text, number in symbols.items():
        names.add(iid=number, str=text.encode())
    return bytes(found.SerializeToString())


def values(column: FieldColumn, symbols: dict[str, int], typed: bool) -> NDArray[Any]:
    """Numbers or texts; for functions in events with a message type of their own, the interned ids of their names."""
    if column.numbers is not None:
        return column.numbers
    if typed and column.name == "func":
        distinct: NDArray[Any] = np.array([symbols.setdefault(text, len(symbols) + 1) for text in column.texts])
    else:
        distinct = np.array(column.texts, np.object_)
    return np.asarray(distinct[column.which])


def events_of(data: bytes) -> Counter[tuple[int, bytes, bytes]]:
    """Counts the events of a file by CPU, by the function's name if the event has the interned id of one, and by the rest."""
    trace, found = protos.Trace.FromString(data), Counter[tuple[int, bytes, bytes]]()
    symbols = {symbol.iid: symbol.str for packet in trace.packet for symbol in packet.interned_data.kernel_symbols}
    for packet in trace.packet:
        for event in packet.ftrace_events.event:
            function = b""
            if event.HasField("funcgraph_entry") or event.HasField("funcgraph_exit"):
                message = getattr(event, event.WhichOneof("event"))
                function, message.func = symbols[message.func], 0
            found[packet.ftrace_events.cpu, function, event.SerializeToString(deterministic=True)] += 1
    return found


def of_processes(command: list[str | Path], **options: object) -> float:
    """The processor time of a process, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run(command, check=True, **options)  # type: ignore[call-overload]  # where standard input and output are
        after = os.times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(taken)


def measure(calls: int) -> None:
    slow = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = dict(files(folder, calls))
        print(f"perfetto, {2 * calls:,} events, seconds of processor time\n{'':22}{'emu':>8}{'objects':>12}{'ratio':>8}")
        for name, path in files(folder / "few", 10_000):  # this also compiles what is not compiled yet
            assert events_of(ours(path)) == events_of(objects(path)), f"the events of {name} differ"
        for name, path in made.items():
            mine, theirs = processor_time(ours, path), processor_time(objects, path)
            print(f"{name:22}{mine:8.2f}{theirs:12.2f}{theirs / mine:8.1f}")
            slow |= theirs < LEAST * mine
        path, text, folded = made["function_graph"], folder / "report.txt", folder / "calls.folded"
        subprocess.run(["emu", "report", path, "-t", "-o", text], check=True)
        mine = of_processes(["emu", "convert", path, "-o", folded])
        theirs = of_processes([sys.executable, FOLD, text, folder / "script.folded"])
        assert folded.read_text() == (folder / "script.folded").read_text(), "the stacks differ"
        print(f"folded, {calls:,} calls\n{'':22}{'emu':>8}{'script':>12}{'ratio':>8}")
        print(f"{'function_graph':22}{mine:8.2f}{theirs:12.2f}{mine / theirs:8.2f}")
        slow |= mine > MOST * theirs
    if slow:
        sys.exit(f"that is less than {LEAST} times as fast, or more than {MOST} times the script's time")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
