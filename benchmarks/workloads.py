# SPDX-License-Identifier: GPL-2.0-only
"""What guest workloads cost on the host, in processor time: untraced, with `function` and with `function_graph`, on each
architecture in one run.

    ./venv python benchmarks/workloads.py [--peer DIR] [--rounds N] [WORKLOAD]...

The peer on x86-64 is Debian's Linux under QEMU, with the same programs, memory and buffers, and one CPU. It takes turns with
emu. benchmarks/peer_qemu.sh fetches it into DIR (default: a folder of emu's cache). Without it there are no ratios. SPARC V9 has
no peer: no Linux for it is packaged.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import peer
from arches import ARCHES

from emu.machine import Machine

ROUNDS = 5
MEMORY = 256 << 20
BUFFER_KB = 50_000
TRACERS = ("nop", "function", "function_graph")


@dataclass(frozen=True)
class Workload:
    """Command lines of the guest's shell; only `command` is measured."""

    name: str
    command: str
    after: str = "true"


WORKLOADS = [
    Workload("fork, exec, exit", "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done"),
    Workload("pipe ping-pong", "pingpong 3000"),
    Workload("dd", "dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null"),
    Workload("hackbench", "hackbench -p -g 1 -f 5 -l 20"),
    Workload("copying a tree", "cp -r /bin /tmp/copy", after="rm -r /tmp/copy"),
]


@dataclass(frozen=True)
class Measured:
    """A workload under a tracer."""

    seconds: float = float("inf")
    entries: int = 0  # that were recorded
    instructions: int | None = None  # None: not known


class System(Protocol):
    """A machine with ftrace."""

    def trace_with(self, tracer: str) -> None:
        """Chooses the tracer."""

    def run(self, command: str) -> None:
        """Runs a command that is not measured."""

    def measure(self, command: str) -> Measured:
        """Runs a command, and records what it does."""


class Emu:
    """emu."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.machine.tracefs.write("tracing_on", "0")
        self.machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))

    def trace_with(self, tracer: str) -> None:
        self.machine.tracefs.write("current_tracer", tracer)

    def run(self, command: str) -> None:
        done = self.machine.run(command)
        assert done.status == 0, done.output.decode()

    def measure(self, command: str) -> Measured:
        self.machine.tracefs.write("trace", "")
        (cpu,), (ring,) = self.machine.board.cpus, self.machine.trace_array.recorder.rings
        instructions = cpu.instructions
        start = time.process_time()
        done = self.machine.run(command, trace=True)
        seconds = time.process_time() - start
        assert done.status == 0, done.output.decode()
        return Measured(seconds, ring.entries + ring.overrun, cpu.instructions - instructions)


class Linux:
    """The peer."""

    def __init__(self, linux: peer.Peer) -> None:
        self._linux = linux
        self._linux.run(f"echo 0 > tracing_on; echo {BUFFER_KB} > buffer_size_kb")

    def trace_with(self, tracer: str) -> None:
        self._linux.run(f"echo {tracer} > current_tracer")

    def run(self, command: str) -> None:
        self._linux.run(command)

    def measure(self, command: str) -> Measured:
        self._linux.run("echo > trace")
        seconds = self._linux.processor_time(command)
        stats = dict(line.split(": ") for line in self._linux.run("cat per_cpu/cpu0/stats").decode().splitlines())
        return Measured(seconds, int(stats["entries"]) + int(stats["overrun"]))


Results = dict[tuple[str, str], Measured]  # by workload and tracer


def measure(systems: Sequence[System], workloads: Sequence[Workload], rounds: int) -> list[Results]:
    """The best of several rounds on each system. Systems, tracers and workloads take turns, so that what else the host does falls
    on all of them."""
    best: list[Results] = [{(workload.name, tracer): Measured() for workload in workloads for tracer in TRACERS} for _ in systems]
    for _ in range(rounds):
        for tracer in TRACERS:
            for system in systems:
                system.trace_with(tracer)
            for workload in workloads:
                for system, results in zip(systems, best, strict=True):
                    for _ in range(2):  # once to translate what has been patched
                        measured = system.measure(workload.command)
                        system.run(workload.after)
                    key = workload.name, tracer
                    results[key] = min(results[key], measured, key=lambda found: found.seconds)
    return best


class Row:
    """A workload under a tracer, beside the same workload untraced."""

    def __init__(self, results: Results, name: str, tracer: str) -> None:
        self.measured, untraced = results[name, tracer], results[name, "nop"]
        # A function that returns leaves two entries: of its call and of its return.
        self.functions = self.measured.entries // (2 if tracer == "function_graph" else 1)
        self.times = self.measured.seconds / untraced.seconds
        self.nanoseconds_each = (self.measured.seconds - untraced.seconds) / max(self.functions, 1) * 1e9

    def __str__(self) -> str:
        return f"{self.measured.seconds * 1e3:9.0f}{self.times:7.2f}{self.functions:11}{self.nanoseconds_each:9.0f}"


def show(arch: str, ours: Results, theirs: Results | None) -> None:
    columns = f"{'ms':>9}{'times':>7}{'functions':>11}{'ns each':>9}"
    titles = ("emu", "Linux under QEMU", "emu / Linux") if theirs else ("emu", "", "")
    print("\n{:34}{:^49}{:^36}{:^18}".format(arch, *titles).rstrip())
    print(f"{'':34}{columns}{'M instr./s':>13}" + (f"{columns}{'ms':>9}{'ns each':>9}" if theirs else ""))
    for name, tracer in ours:
        row = Row(ours, name, tracer)
        assert row.measured.instructions is not None
        speed = row.measured.instructions / row.measured.seconds / 1e6
        line = f"{name if tracer == TRACERS[0] else '':18}{tracer:16}{row}{speed:13.0f}"
        if theirs:
            peers = Row(theirs, name, tracer)
            line += f"{peers}{row.measured.seconds / peers.measured.seconds:9.2f}"
            if row.functions:
                line += f"{row.nanoseconds_each / peers.nanoseconds_each:9.2f}"
        print(line)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [workload.name for workload in WORKLOADS]
    arguments.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"default: all of {', '.join(names)}")
    arguments.add_argument("--peer", type=Path, metavar="DIR", help="where peer_qemu.sh keeps the peer")
    arguments.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="default: %(default)s")
    chosen = arguments.parse_args()
    if unknown := set(chosen.workloads) - set(names):
        arguments.error(f"no such workload: {', '.join(sorted(unknown))}")
    workloads = [workload for workload in WORKLOADS if not chosen.workloads or workload.name in chosen.workloads]
    with ExitStack() as stack:
        linux: list[Linux] = []
        try:
            booted = stack.enter_context(peer.Peer(chosen.peer, MEMORY))
            print(f"peer on {peer.ARCH}: {booted.name}")
            linux.append(Linux(booted))
        except peer.NoPeer as missing:
            print(f"no peer, so no ratios: {missing}")
        for arch in ARCHES:
            with Machine(arch=arch, cpus=1, memory=MEMORY) as machine:
                ours, *theirs = measure([Emu(machine), *(linux if arch == peer.ARCH else [])], workloads, chosen.rounds)
            show(arch, ours, theirs[0] if theirs else None)


if __name__ == "__main__":
    try:
        main()
    except peer.NoPeer as lost:
        sys.exit(f"workloads.py: {lost}")
