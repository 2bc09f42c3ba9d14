# SPDX-License-Identifier: GPL-2.0-only
"""Machines that benchmarks measure: in this process, and in one of another checkout of emu, with which it takes turns.

This file is also the program of that process. It has the other checkout's interpreter, and therefore its emu. It measures its
own processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from emu.machine import Machine

__all__ = ["Checkout", "Emu", "Measured"]


@dataclass(frozen=True)
class Measured:
    """A workload under a tracer."""

    seconds: float = float("inf")
    entries: int = 0  # that were recorded
    instructions: int | None = None  # None: not known


class Emu:
    """A machine with one CPU in this process."""

    def __init__(self, arch: str, memory: int, buffer_kb: int) -> None:
        self._machine = Machine(arch=arch, cpus=1, timing="static", memory=memory)
        self._machine.tracefs.write("tracing_on", "0")
        self._machine.tracefs.write("buffer_size_kb", str(buffer_kb))

    def close(self) -> None:
        self._machine.close()

    def trace_with(self, tracer: str) -> None:
        """Chooses the tracer."""
        self._machine.tracefs.write("current_tracer", tracer)

    def run(self, command: str) -> None:
        """Runs a command that is not measured."""
        done = self._machine.run(command)
        assert done.status == 0, done.output.decode()

    def measure(self, command: str) -> Measured:
        """Runs a command, and records what it does."""
        self._machine.tracefs.write("trace", "")
        (cpu,), (ring,) = self._machine.board.cpus, self._machine.trace_array.recorder.rings
        instructions = cpu.instructions
        start = time.process_time()
        done = self._machine.run(command, trace=True)
        seconds = time.process_time() - start
        assert done.status == 0, done.output.decode()
        return Measured(seconds, ring.entries + ring.overrun, cpu.instructions - instructions)


class Checkout:
    """The same in a process of another checkout, which has its own `.venv`."""

    def __init__(self, directory: Path, arch: str, memory: int, buffer_kb: int) -> None:
        python = directory / ".venv" / "bin" / "python"
        command = [str(python), __file__, arch, str(memory), str(buffer_kb)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        self._process.communicate()  # at the end of its input it ends

    def trace_with(self, tracer: str) -> None:
        self._ask("trace_with", tracer)

    def run(self, command: str) -> None:
        self._ask("run", command)

    def measure(self, command: str) -> Measured:
        return Measured(**self._ask("measure", command))

    def _ask(self, method: str, argument: str) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([method, argument]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, f"{method} {argument}: the other checkout's process has ended"
        return json.loads(answer)


def serve(machine: Emu) -> None:
    """Does what each line of the input asks for, and prints what comes of it."""
    for line in sys.stdin:
        method, argument = json.loads(line)
        result = getattr(machine, method)(argument)
        print(json.dumps(asdict(result) if result else None), flush=True)


if __name__ == "__main__":
    serve(Emu(sys.argv[1], *map(int, sys.argv[2:])))
