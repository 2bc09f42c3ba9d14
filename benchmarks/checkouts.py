# SPDX-License-Identifier: GPL-2.0-only
"""The machines that benchmarks measure: one in this process, or one of another checkout of emu, taking turns with it.

This file is also the program that the other checkout's process runs, with that checkout's interpreter and therefore its emu. It
measures its own processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from emu.machine import Machine

__all__ = ["Checkout", "Emu", "Measured"]


@dataclass(frozen=True)
class Measured:
    """What was measured of a workload under a tracer."""

    seconds: float = float("inf")
    entries: int = 0  # recorded
    instructions: int | None = None  # None: not known


class Emu:
    """A machine in this process, with one CPU and static timing unless `options` (arguments of `Machine`) say otherwise."""

    def __init__(self, arch: str, memory: int, buffer_kb: int, options: Mapping[str, Any] | None = None) -> None:
        self._machine = Machine(**{"arch": arch, "cpus": 1, "timing": "static", "memory": memory, **(options or {})})
        self.write("tracing_on", "0")
        self.write("buffer_size_kb", str(buffer_kb))

    def close(self) -> None:
        self._machine.close()

    def write(self, name: str, text: str) -> None:
        """Writes to a file of tracefs."""
        self._machine.tracefs.write(name, text)

    def trace_with(self, tracer: str) -> None:
        """Selects the tracer."""
        self.write("current_tracer", tracer)

    def run(self, command: str) -> None:
        """Runs a command that is not measured."""
        done = self._machine.run(command)
        assert done.status == 0, done.output.decode()

    def measure(self, command: str) -> Measured:
        """Runs a command, and measures what that takes."""
        self.write("trace", "")
        before = self._counts()
        start = time.process_time()
        done = self._machine.run(command, trace=True)
        seconds = time.process_time() - start
        assert done.status == 0, done.output.decode()
        entries, instructions = (now - then for now, then in zip(self._counts(), before, strict=True))
        return Measured(seconds, entries, instructions)

    def measure_cycles(self, cycles: int) -> Measured:
        """Lets virtual time pass."""
        start = time.process_time()
        self._machine.advance(cycles)
        return Measured(time.process_time() - start)

    def _counts(self) -> tuple[int, int]:
        """The number of entries recorded, and of instructions executed."""
        rings = self._machine.trace_array.recorder.rings
        return sum(ring.entries + ring.overrun for ring in rings), sum(cpu.instructions for cpu in self._machine.board.cpus)


class Checkout:
    """The same interface for a machine in a process of another checkout, which has its own `.venv`."""

    def __init__(
        self, directory: Path, arch: str, memory: int, buffer_kb: int, options: Mapping[str, Any] | None = None
    ) -> None:
        python = directory / ".venv" / "bin" / "python"
        command = [str(python), __file__, arch, str(memory), str(buffer_kb), json.dumps(dict(options or {}))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        self._process.communicate()  # the process ends at the end of its input

    def write(self, name: str, text: str) -> None:
        self._ask("write", name, text)

    def trace_with(self, tracer: str) -> None:
        self._ask("trace_with", tracer)

    def run(self, command: str) -> None:
        self._ask("run", command)

    def measure(self, command: str) -> Measured:
        return Measured(**self._ask("measure", command))

    def measure_cycles(self, cycles: int) -> Measured:
        return Measured(**self._ask("measure_cycles", cycles))

    def _ask(self, method: str, *arguments: str | int) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([method, *arguments]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, f"{method} {arguments}: the other checkout's process has ended"
        return json.loads(answer)


def serve(machine: Emu) -> None:
    """Does what each line of the input asks for, and prints the result."""
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        result = getattr(machine, method)(*arguments)
        print(json.dumps(asdict(result) if result else None), flush=True)


if __name__ == "__main__":
    serve(Emu(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])))
