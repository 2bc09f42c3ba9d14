# SPDX-License-Identifier: GPL-2.0-only
"""The text of a trace.dat: `emu report` against trace-cmd's `report`, whole processes, in the same run.

    ./venv python benchmarks/report.py [EVENTS]

The files hold calls of functions, switches between tasks and their run times, on two CPUs; and calls with their returns.
The texts must be equal. emu may take at most 0.7 times trace-cmd's processor time.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.lib.trace_dat import Dat, event_id, linux_formats

MOST = 0.7  # times the peer's processor time
TEXT = np.uint64(0xFFFFFFFF81000000)
FUNCTIONS = 2000
ROUNDS = 3  # the best one counts
STEP = 1500  # nanoseconds between events of a CPU
DATA = 4080  # bytes in a page
COMMON: list[tuple[str, str]] = [("head", "<u4"), ("type", "<u2"), ("flags", "u1"), ("preempt", "u1"), ("pid", "<i4")]
FUNCTION = np.dtype([*COMMON, ("ip", "<u8"), ("parent", "<u8")])
SWITCH = np.dtype(
    [
        *COMMON, ("prev_comm", "S16"), ("prev_pid", "<i4"), ("prev_prio", "<i4"), ("state", "<i8"), ("next_comm", "S16"),
        ("next_pid", "<i4"), ("next_prio", "<i4"),
    ]
)  # fmt: skip
RUNTIME = np.dtype([*COMMON, ("comm", "S16"), ("task", "<i4"), ("hole", "<u4"), ("runtime", "<u8"), ("vruntime", "<u8")])
ENTRY = np.dtype([*COMMON, ("func", "<u8"), ("depth", "<i4")])
EXIT = np.dtype([*COMMON, ("func", "<u8"), ("depth", "<i4"), ("overrun", "<u4"), ("calltime", "<u8"), ("rettime", "<u8")])
MIXED = np.dtype([("functions", FUNCTION, (8,)), ("switch", SWITCH), ("runtime", RUNTIME)])
CALLS = np.dtype([("outer", ENTRY), ("leaf", ENTRY), ("leaf_exit", EXIT), ("outer_exit", EXIT)])


def head(records: NDArray[Any], number: int, cpu: int) -> None:
    """Fills in the beginning of each event."""
    records["head"] = STEP << 5 | (records.dtype.itemsize - 4) // 4
    records["type"], records["flags"], records["pid"] = number, 1, 1000 + cpu


def addresses(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    return TEXT + np.uint64(64) * random.integers(0, FUNCTIONS, shape).astype(np.uint64)


def mixed(units: NDArray[Any], random: np.random.Generator, cpu: int, start: NDArray[np.uint64]) -> None:
    """Eight calls of functions, then a switch and a run time."""
    functions, switch, runtime = units["functions"], units["switch"], units["runtime"]
    head(functions, 1, cpu)
    functions["ip"], functions["parent"] = (addresses(random, functions.shape) for _ in range(2))
    head(switch, event_id("sched", "sched_switch"), cpu)
    switch["prev_comm"], switch["next_comm"], switch["prev_prio"], switch["next_prio"] = b"task_a", b"task_b", 120, 120
    switch["prev_pid"], switch["next_pid"] = (random.integers(1000, 1100, switch.shape) for _ in range(2))
    switch["state"] = random.integers(0, 3, switch.shape)
    head(runtime, event_id("sched", "sched_stat_runtime"), cpu)
    runtime["comm"], runtime["task"] = b"task_a", random.integers(1000, 1100, runtime.shape)
    runtime["runtime"], runtime["vruntime"] = (random.integers(1, 1 << bits, runtime.shape) for bits in (20, 40))


def calls(units: NDArray[Any], random: np.random.Generator, cpu: int, start: NDArray[np.uint64]) -> None:
    """A call within a call, with their returns."""
    outer, leaf = (addresses(random, units.shape) for _ in range(2))
    for name, function, depth in (("outer", outer, 0), ("leaf", leaf, 1)):
        records, returns = units[name], units[f"{name}_exit"]
        head(records, 11, cpu)
        head(returns, 10, cpu)
        records["func"], records["depth"], returns["func"], returns["depth"] = function, depth, function, depth
        returns["calltime"] = start
        returns["rettime"] = start + random.integers(100, 200_000, units.shape).astype(np.uint64)


def pages(unit: np.dtype[Any], events: int, fill: Callable[..., None], events_of_unit: int, cpus: int) -> list[bytes]:
    """The pages of each CPU, each with as many whole units as fit."""
    found, each = [], DATA // unit.itemsize
    page = np.dtype([("time", "<u8"), ("commit", "<u8"), ("units", unit, (each,)), ("rest", f"V{DATA - each * unit.itemsize}")])
    for cpu in range(cpus):
        memory = np.zeros(events // (cpus * each * events_of_unit) + 1, page)
        start = np.uint64(10**9) + np.arange(len(memory), dtype=np.uint64) * np.uint64(each * events_of_unit * STEP)
        memory["time"], memory["commit"] = start + np.uint64(700 * cpu), each * unit.itemsize
        fill(memory["units"], np.random.default_rng(cpu), cpu, start[:, np.newaxis])
        found.append(memory.tobytes())
    return found


def write(path: Path, cpus: list[bytes]) -> None:
    formats = {"ftrace": linux_formats()["ftrace"], "sched": linux_formats()["sched"]}
    symbols = "".join(f"{int(TEXT) + 64 * n:x} T guest_function_{n}\n" for n in range(FUNCTIONS + 1))
    tasks = "".join(f"{pid} task_{pid}\n" for pid in range(1000, 1100))
    path.write_bytes(Dat(cpus, formats=formats, kallsyms=symbols, cmdlines=tasks).version7())


def run(command: list[str]) -> tuple[float, str]:
    """The processor time of a process, and a hash of its output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output:
        subprocess.run(command, stdout=output, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        output.seek(0)
        text = hashlib.file_digest(output, "sha256").hexdigest()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def measure(events: int) -> None:
    if shutil.which("trace-cmd") is None:
        sys.exit("trace-cmd is not installed (on Debian: apt-get install trace-cmd)")
    print(f"report of {events:,} events, seconds of processor time")
    print(f"{'':22}{'emu':>8}{'trace-cmd':>12}{'ratio':>8}")
    slow = False
    files = (("functions and sched", MIXED, mixed, 10, 2), ("function_graph", CALLS, calls, 4, 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.dat"
        for name, unit, fill, events_of_unit, cpus in files:
            write(path, pages(unit, 1000, fill, events_of_unit, cpus))
            run(["emu", "report", str(path)])  # compiles what is not compiled yet
            write(path, pages(unit, events, fill, events_of_unit, cpus))
            runs = [[run([program, "report", str(path)]) for program in ("emu", "trace-cmd")] for _ in range(ROUNDS)]
            assert len({text for both in runs for _, text in both}) == 1, f"the texts of {name} differ"
            ours, theirs = (min(taken for taken, _ in program) for program in zip(*runs, strict=True))
            print(f"{name:22}{ours:8.2f}{theirs:12.2f}{ours / theirs:8.2f}")
            slow |= ours > MOST * theirs
    if slow:
        sys.exit(f"that is more than {MOST} times trace-cmd's")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
