# SPDX-License-Identifier: GPL-2.0-only
"""What recording to disk costs, compared with recording into the buffer in the same run; and how much memory it needs.

    ./venv python benchmarks/record.py [--rounds N] [--events N]

One machine records the same command alternately into a buffer that overwrites itself, and to disk; the best of the rounds counts,
in processor time. Then a longer command records that many events; its memory is the process's peak beyond what it was after the
boot. The exit status is 1 if a limit is exceeded.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from emu import Machine
from emu.trace import Trace
from emu.trace.disk_recording import DiskRecording

ROUNDS = 9
EVENTS = 20_000_000
SLOWER, MEMORY = 1.1, 300 << 20  # the limits
CALLS = "dd if=/dev/zero of=/dev/null bs=1 count={} 2>/dev/null"
EVENTS_OF_ONE = 20  # approximately: for a read and a write


def resident() -> int:
    """The peak resident memory of this process so far, in bytes."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def measured(machine: Machine, during: Callable[[], Any], count: int) -> float:
    begin = time.process_time()
    with during():
        machine.run(CALLS.format(count), trace=True)
    return time.process_time() - begin


def speed(machine: Machine, folder: Path, rounds: int) -> float:
    """How many times as long recording to disk takes."""

    @contextmanager
    def to_disk() -> Iterator[None]:
        with DiskRecording(machine, folder) as recording, recording.taking():
            yield

    best = {"buffer": 9e9, "disk": 9e9}
    for _ in range(rounds):
        for name, during in (("buffer", nullcontext), ("disk", to_disk)):
            best[name] = min(best[name], measured(machine, during, 100_000))
    for name, seconds in best.items():
        print(f"{name:8} {seconds * 1e3:8.1f} ms")
    return best["disk"] / best["buffer"]


def memory(machine: Machine, folder: Path, events: int) -> tuple[int, int]:
    """The number of events in a long recording, and by how many bytes it raised the peak memory of the process."""
    before = resident()
    path = folder / "trace.dat"
    with DiskRecording(machine, folder) as recording, path.open("w+b") as file:
        with recording.taking():
            machine.run(CALLS.format(events // EVENTS_OF_ONE), trace=True)
        recording.write(file)
    more = resident() - before
    return len(Trace.open(path)["ftrace:function"]["time"]), more


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--events", type=int, default=EVENTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as name, Machine(cpus=1) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("current_tracer", "function")
        measured(machine, nullcontext, 1000)
        ratio = speed(machine, Path(name), arguments.rounds)
        print(f"to disk, over into the buffer: {ratio:.2f} (limit {SLOWER})")
        events, more = memory(machine, Path(name), arguments.events)
        print(f"{events:,} events recorded; {more >> 20} MiB more than before (limit {MEMORY >> 20})")
    return 0 if ratio <= SLOWER and more <= MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
