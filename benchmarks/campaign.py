# SPDX-License-Identifier: GPL-2.0-only
"""What campaigns cost. The parts:

    engine   what the engine adds to units of one second and of one millisecond, with one worker: elapsed and processor time
    workers  how much faster two workers do a sweep than one
    table    processor time for the table of a million units, in random order, and for writing it
    analysis the same for what is done with such a table: reading, a summary, a plot, a comparison with itself

    ./venv python benchmarks/campaign.py [PART ...]
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from emu.campaign import Scalar, Unit, run
from emu.campaign.comparison import compare_tables
from emu.campaign.journal import Entry
from emu.campaign.plot import drawn
from emu.campaign.summary import summary
from emu.campaign.table import Table, read_table, table_of
from emu.cli.sweep import sweep_units

ROUNDS = 2  # of the parts that compare
ROWS, SEEDS = 1_000_000, 1000
TRACERS = ("nop", "function")
Value = TypeVar("Value")


def entries() -> list[Entry]:
    """Four parameters and four measures each."""
    found = [
        Entry(
            {"seed": n % SEEDS, "cpus": n // SEEDS % 8, "tracer": TRACERS[n % 2], "size": n // (8 * SEEDS)},
            {"cycles": n * 7 + n % 13, "instructions": n * 3, "time": n / 7, "status": 0},
        )
        for n in range(ROWS)
    ]
    random.Random(0).shuffle(found)
    return found


def measured(what: str, work: Callable[[], Value]) -> tuple[float, Value]:
    start = time.process_time()
    value = work()
    seconds = time.process_time() - start
    print(f"{what:32}{seconds:8.2f} s", flush=True)
    return seconds, value


def spin(parameters: Mapping[str, Scalar], given: Mapping[str, Any]) -> dict[str, Scalar]:
    """A unit that takes so much processor time."""
    start = time.thread_time()
    while time.thread_time() - start < given["seconds"]:
        pass
    return {"result": parameters["n"]}


def used(units: Sequence[Unit], workers: int) -> tuple[float, float]:
    """Elapsed and processor time of a campaign, in seconds."""
    elapsed, processor = time.perf_counter(), processor_time()
    with tempfile.TemporaryDirectory() as folder:
        assert run(units, folder, workers=workers).complete
    return time.perf_counter() - elapsed, processor_time() - processor


def processor_time() -> float:
    """Of this process and of children that have ended."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def engine() -> None:
    """Two campaigns of different lengths: what they differ by is due to units, not to the start of workers."""
    for seconds, few, many in ((1.0, 4, 24), (0.001, 100, 2100)):
        first, second = (
            used([Unit("campaign:spin", {"n": n}, {"seconds": seconds}) for n in range(count)], 1) for count in (few, many)
        )
        costs = [1000 * ((more - less) / (many - few) - seconds) for less, more in zip(first, second, strict=True)]
        print(f"a unit of {seconds:g} s costs {costs[0]:6.2f} ms of elapsed time more, {costs[1]:6.2f} ms of processor time")


def workers() -> None:
    """A sweep, in turns with one worker and with two."""
    units = sweep_units("ls /bin | wc -l", {"seed": range(60), "p": ["nop", "function", "function_graph"]})
    times: dict[int, list[float]] = {count: [] for count in (1, 2)}
    for _ in range(ROUNDS):
        for count, taken in times.items():
            taken.append(used(units, count)[0])
    one, two = (min(taken) for taken in times.values())
    print(f"{len(units)} runs: {one:.1f} s with one worker, {two:.1f} s with two: {one / two:.2f} times as fast")


def table() -> None:
    """Makes and writes a table."""
    found = entries()
    made, result = measured(f"table of {ROWS:,} units", lambda: table_of(found))
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "table.parquet", Path(folder) / "table.csv"
        written, _ = measured("Parquet and CSV", lambda: result.write(*files))
        print(f"{'both':32}{made + written:8.2f} s; {', '.join(f'{file.stat().st_size / 1e6:.0f} MB' for file in files)}")


def analysis() -> None:
    """Reads a table, and does what is done with tables."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        table_of(entries()).write(file, Path(folder) / "table.csv")
        _, found = measured("reading", lambda: read_table(file))
        _, groups = measured("summary", lambda: len(summary(found).groups))
        measured("plot", lambda: drawn(found, "cpus", "cycles", "svg", ["tracer"]))
        measured(f"comparison, {groups:,} groups", lambda: compare_tables(found, changed(found)))


def changed(found: Table) -> Table:
    """The table with another measure: one more cycle."""
    import pyarrow.compute as compute

    at = found.columns.column_names.index("cycles")
    return Table(found.columns.set_column(at, "cycles", compute.add(found.columns["cycles"], 1)), found.parameters)


PARTS: dict[str, Callable[[], None]] = {"engine": engine, "workers": workers, "table": table, "analysis": analysis}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", metavar="PART", nargs="*", help="default: all parts")
    parts = parser.parse_args().parts or [*PARTS]
    if wrong := [part for part in parts if part not in PARTS]:
        parser.error(f"no part is called '{wrong[0]}'; there are {', '.join(PARTS)}")
    for part in parts:
        PARTS[part]()


if __name__ == "__main__":
    main()
