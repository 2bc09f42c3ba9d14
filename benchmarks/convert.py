# SPDX-License-Identifier: GPL-2.0-only
"""A trace in other tools' formats: against the usual ways to make these, in the same run, in processor time.

    ./venv python benchmarks/convert.py [CALLS]

perfetto    the packets of a file's events, against the same events filled into the objects of the package `perfetto`;
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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import report

from emu.trace import Trace
from emu.trace.convert import FORMATS, ConvertOptions

LEAST, MOST = 2.0, 0.5
DEPTH = 4
NEST = np.dtype(
    [*((f"entry{level}", report.ENTRY) for level in range(DEPTH)), *((f"exit{level}", report.EXIT) for level in reversed(range(DEPTH)))]
)
ROUNDS = 3  # of which the best counts, of each
FOLD = Path(__file__).with_name("fold_report.py")


def nested(units: NDArray[Any], random: np.random.Generator, cpu: int, start: NDArray[np.uint64]) -> None:
    """A call in a call in a call ...: each function calls one of eight of its own."""
    first = start + np.arange(units.shape[1], dtype=np.uint64) * np.uint64(2 * DEPTH * report.STEP)
    function = np.zeros(units.shape, np.int64)
    for level in range(DEPTH):
        entry, exit_ = units[f"entry{level}"], units[f"exit{level}"]
        function = (8 * function + random.integers(1, 9, units.shape)) % report.FUNCTIONS
        report.head(entry, 11, cpu)
        report.head(exit_, 10, cpu)
        for records in (entry, exit_):
            records["func"], records["depth"] = report.TEXT + np.uint64(64) * function.astype(np.uint64), level
        exit_["calltime"] = first + np.uint64((level + 1) * report.STEP)
        exit_["rettime"] = first + np.uint64((2 * DEPTH - level) * report.STEP)


def files(folder: Path, calls: int) -> Iterator[tuple[str, Path]]:
    """Calls with their returns on one CPU; calls of functions, switches and run times on two, half as many events."""
    for name, unit, fill, each, cpus in (
        ("function_graph", NEST, nested, 2 * DEPTH, 1), ("functions and sched", report.MIXED, report.mixed, 10, 2),
    ):  # fmt: skip
        path = folder / f"{name.replace(' ', '-')}.dat"
        report.write(path, report.pages(unit, 2 * calls, fill, each, cpus))
        yield name, path


def processor_time(work: Callable[[], object]) -> float:
    """The best of some rounds, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def ours(path: Path) -> bytes:
    return b"".join(FORMATS["pftrace"].pieces(Trace.open(path), ConvertOptions()))


def objects(path: Path) -> bytes:
    """The same bundle of each CPU from the package's objects, event by event."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

    trace = Trace.open(path)
    found = protos.Trace()
    for cpu in trace.first.cpus:
        events = found.packet.add().ftrace_events
        events.cpu = cpu
        for name, table in trace.events.items():
            mine = table["common_cpu"] == cpu
            fields = [field.name for field in table.call.fields]
            columns = {field: table[field][mine].tolist() for field in fields}
            times, pids = table["common_time"][mine].tolist(), table["common_pid"][mine].tolist()
            event_name = name.partition(":")[2]
            typed = event_name in events.event.add().DESCRIPTOR.fields_by_name
            for n, (when, pid) in enumerate(zip(times, pids, strict=True)):
                event = events.event.add()
                event.timestamp, event.pid = when, pid
                if typed:
                    message = getattr(event, event_name)
                    for field in fields:
                        setattr(message, field, columns[field][n])
                else:
                    event.generic.event_name = event_name
                    for field in fields:
                        value = columns[field][n]
                        one = event.generic.field.add()
                        one.name = field
                        if isinstance(value, str):
                            one.str_value = value
                        else:
                            one.uint_value = value
    return bytes(found.SerializeToString())


def of_processes(command: list[str | Path], **options: object) -> float:
    """Processor time of a process, in seconds."""
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
        for name, path in made.items():
            ours(path)  # compiles what is not compiled yet
            mine, theirs = processor_time(lambda path=path: ours(path)), processor_time(lambda path=path: objects(path))
            print(f"{name:22}{mine:8.2f}{theirs:12.2f}{theirs / mine:8.1f}")
            slow |= theirs < LEAST * mine
        path, text, folded = made["function_graph"], folder / "report.txt", folder / "calls.folded"
        subprocess.run(["emu", "report", path, "-t", "-o", text], check=True)
        mine = of_processes(["emu", "convert", path, "-o", folded])
        theirs = of_processes([sys.executable, FOLD, text, folder / "script.folded"])
        print(f"folded, {calls:,} calls\n{'':22}{'emu':>8}{'script':>12}{'ratio':>8}")
        print(f"{'function_graph':22}{mine:8.2f}{theirs:12.2f}{mine / theirs:8.2f}")
        slow |= mine > MOST * theirs
    if slow:
        sys.exit(f"that is less than {LEAST} times as fast, or more than {MOST} times the script's time")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
