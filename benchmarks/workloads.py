# SPDX-License-Identifier: GPL-2.0-only
"""What guest workloads cost on the host, in processor time: untraced, with `function` and with `function_graph`, on each
architecture in one run.

    ./venv python benchmarks/workloads.py [WORKLOAD]...

For scale it prints what a real Linux took for one of them under QEMU on such a machine, and how that compares.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from arches import ARCHES

from emu.machine import Machine

ROUNDS = 5
BUFFER_KB = 50_000
TRACERS = ("nop", "function", "function_graph")


@dataclass(frozen=True)
class Workload:
    """Command lines of the guest's shell; only `command` is measured."""

    name: str
    program: str  # that it needs
    command: str
    before: str = "true"
    after: str = "true"


WORKLOADS = [
    Workload("fork, exec, exit", "true", "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done"),
    Workload("pipe ping-pong", "pingpong", "pingpong 3000"),
    Workload("dd", "dd", "dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null"),
    Workload("hackbench", "hackbench", "hackbench -p -g 1 -f 5 -l 20"),
    Workload("copying a tree", "cp", "cp -r /bin /tmp/copy", after="rm -r /tmp/copy"),
]


# Linux 6.1 in QEMU, on a machine with two cores of this kind: what the dd above took, and what each function added.
REAL_WORKLOAD = "dd"
REAL_MILLISECONDS = {"nop": 137, "function": 368, "function_graph": 899}
REAL_NANOSECONDS = {"function": 565, "function_graph": 1800}
MOST_TIMES_UNTRACED = 1.5
MOST_OF_REAL_COST = 1 / 5


@dataclass
class Measured:
    """The best of several rounds of a workload under a tracer."""

    seconds: float = float("inf")
    instructions: int = 0
    functions: int = 0  # that were recorded

    def nanoseconds_per_function(self, untraced: Measured) -> float:
        return (self.seconds - untraced.seconds) / self.functions * 1e9 if self.functions else 0.0


def recorded(machine: Machine) -> int:
    return sum(ring.entries + ring.overrun for ring in machine.trace_array.recorder.rings)


def one_round(machine: Machine, tracer: str, workload: Workload, best: Measured) -> None:
    """Once for the host to translate what has been patched, and once for the clock."""
    machine.tracefs.write("current_tracer", tracer)
    for _ in range(2):
        machine.tracefs.write("trace", "")
        assert machine.run(workload.before).status == 0
        instructions = sum(cpu.instructions for cpu in machine.board.cpus)
        entries = recorded(machine)
        start = time.process_time()
        done = machine.run(workload.command, trace=True)
        seconds = time.process_time() - start
        assert done.status == 0, done.output.decode()
        instructions = sum(cpu.instructions for cpu in machine.board.cpus) - instructions
        entries = recorded(machine) - entries
        assert machine.run(workload.after).status == 0
    if seconds < best.seconds:
        best.seconds = seconds
        best.instructions = instructions
        # A function that returns leaves two records: of its entry and of its exit.
        best.functions = entries // (2 if tracer == "function_graph" else 1)


def measure(arch: str, workloads: Sequence[Workload]) -> dict[tuple[str, str], Measured]:
    """By workload and tracer. The tracers take turns on one machine, so that where that lies in the host's memory, and what else
    the host does, falls on all of them."""
    results: dict[tuple[str, str], Measured] = {}
    with Machine(arch=arch, cpus=1) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        for workload in workloads:
            if machine.run(f"command -v {workload.program}").status:
                print(f"{arch}: no {workload.program} in the guest, so no '{workload.name}'")
                continue
            for _ in range(ROUNDS):
                for tracer in TRACERS:
                    one_round(machine, tracer, workload, results.setdefault((workload.name, tracer), Measured()))
    return results


def show(arch: str, results: dict[tuple[str, str], Measured]) -> None:
    print(f"\n{arch:18}{'tracer':16}{'ms':>8}{'times':>7}{'M instr./s':>12}{'functions':>11}{'M/s':>7}{'ns each':>9}")
    for (name, tracer), measured in results.items():
        base = results[name, "nop"]
        print(
            f"{name if tracer == 'nop' else '':18}{tracer:16}{measured.seconds * 1e3:8.0f}{measured.seconds / base.seconds:7.2f}"
            f"{measured.instructions / measured.seconds / 1e6:12.1f}{measured.functions:11}"
            f"{measured.functions / measured.seconds / 1e6:7.2f}{measured.nanoseconds_per_function(base):9.0f}"
        )


def compare(arch: str, results: dict[tuple[str, str], Measured]) -> None:
    """With the real Linux."""
    if (REAL_WORKLOAD, "nop") not in results:
        return
    base = results[REAL_WORKLOAD, "nop"]
    real = REAL_MILLISECONDS["nop"]
    print(
        f"{arch}: {REAL_WORKLOAD} untraced takes {base.seconds * 1e3 / real:.2f} times the real one's {real} ms"
        f" (aim: at most {MOST_TIMES_UNTRACED})"
    )
    for tracer, cost in REAL_NANOSECONDS.items():
        measured = results[REAL_WORKLOAD, tracer]
        print(
            f"{arch}: with {tracer} {measured.seconds * 1e3:.0f} ms, the real one {REAL_MILLISECONDS[tracer]} ms;"
            f" {measured.nanoseconds_per_function(base) / cost:.2f} of its {cost} ns a call (aim: at most {MOST_OF_REAL_COST})"
        )


def main() -> None:
    chosen = [workload for workload in WORKLOADS if not sys.argv[1:] or workload.name in sys.argv[1:]]
    if not chosen:
        sys.exit(f"workloads: {', '.join(workload.name for workload in WORKLOADS)}")
    results = {arch: measure(arch, chosen) for arch in ARCHES}
    for arch in ARCHES:
        show(arch, results[arch])
    print()
    for arch in ARCHES:
        compare(arch, results[arch])


if __name__ == "__main__":
    main()
