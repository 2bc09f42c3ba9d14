# SPDX-License-Identifier: GPL-2.0-only
"""What guest workloads cost on the host in processor time: untraced, with `function` and with `function_graph`, on each
architecture in one run.

    ./venv python benchmarks/workloads.py [--peer DIR] [--rounds N] [WORKLOAD]...
    ./venv python benchmarks/workloads.py --against DIR [--rounds N] [WORKLOAD]...

The peer on x86-64 is Debian's Linux under QEMU, with the same programs, memory and buffers, and one CPU. It takes turns with
emu. benchmarks/peer_qemu.sh fetches it into DIR (default: a folder of emu's cache). Without it there are no ratios. SPARC V9 has
no peer: no Linux for it is packaged.

With --against the peer is another checkout of emu with a `.venv`, for example of the previous commit, on all architectures and
untraced. Its guest may execute other instructions for the same workload, so both times and instructions per second are compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import peer
from arches import ARCHES
from checkouts import Checkout, Emu, Measured

ROUNDS = 5
MEMORY = 256 << 20
BUFFER_KB = 50_000
TRACERS = ("nop", "function", "function_graph")
OF_PROCESSOR = ("dd", "busy", "hackbench")  # the workloads by which checkouts are compared, unless others are named


@dataclass(frozen=True)
class Workload:
    """Command lines for the guest's shell; only `command` is measured."""

    name: str
    command: str
    after: str = "true"


WORKLOADS = [
    Workload("fork, exec, exit", "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done"),
    Workload("pipe ping-pong", "pingpong 3000"),
    Workload("dd", "dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null"),
    Workload("busy", "busy 1 60"),
    Workload("hackbench", "hackbench -p -g 1 -f 5 -l 20"),
    Workload("copying a tree", "cp -r /bin /tmp/copy", after="rm -r /tmp/copy"),
]


class System(Protocol):
    """A machine with ftrace."""

    def trace_with(self, tracer: str) -> None:
        """Selects the tracer."""

    def run(self, command: str) -> None:
        """Runs a command that is not measured."""

    def measure(self, command: str) -> Measured:
        """Runs a command, and measures what that takes."""


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


def measure(systems: Sequence[System], workloads: Sequence[Workload], tracers: Sequence[str], rounds: int) -> list[Results]:
    """The best of several rounds on each system. Systems, tracers and workloads take turns, so that other load on the host
    affects all of them."""
    best: list[Results] = [{(workload.name, tracer): Measured() for workload in workloads for tracer in tracers} for _ in systems]
    for _ in range(rounds):
        for tracer in tracers:
            for system in systems:
                system.trace_with(tracer)
            for workload in workloads:
                for system, results in zip(systems, best, strict=True):
                    for _ in range(2):  # once to translate the patched code
                        measured = system.measure(workload.command)
                        system.run(workload.after)
                    key = workload.name, tracer
                    results[key] = min(results[key], measured, key=lambda found: found.seconds)
    return best


class Row:
    """A workload under a tracer, next to the same workload untraced."""

    def __init__(self, results: Results, name: str, tracer: str) -> None:
        self.measured, untraced = results[name, tracer], results[name, "nop"]
        # A function that returns leaves two entries, one for its call and one for its return.
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


def with_peer(workloads: Sequence[Workload], rounds: int, directory: Path | None) -> None:
    with ExitStack() as stack:
        linux: list[Linux] = []
        try:
            booted = stack.enter_context(peer.Peer(directory, MEMORY))
            print(f"peer on {peer.ARCH}: {booted.name}")
            linux.append(Linux(booted))
        except peer.NoPeer as missing:
            print(f"no peer, so no ratios: {missing}")
        for arch in ARCHES:
            with closing(Emu(arch, MEMORY, BUFFER_KB)) as emu:
                ours, *theirs = measure([emu, *(linux if arch == peer.ARCH else [])], workloads, TRACERS, rounds)
            show(arch, ours, theirs[0] if theirs else None)


def against_checkout(workloads: Sequence[Workload], rounds: int, directory: Path) -> None:
    columns = f"{'emu':>9}{'other':>9}{'ratio':>7}"
    print(f"{'untraced':34}{'ms':^25}{'M instr./s':^25}\n{'':34}{columns}{columns}")
    for arch in ARCHES:
        with closing(Emu(arch, MEMORY, BUFFER_KB)) as emu, closing(Checkout(directory, arch, MEMORY, BUFFER_KB)) as other:
            both = measure([emu, other], workloads, ["nop"], rounds)
        for workload in workloads:
            ours, theirs = (results[workload.name, "nop"] for results in both)
            assert ours.instructions is not None and theirs.instructions is not None
            times = ours.seconds * 1e3, theirs.seconds * 1e3
            speeds = ours.instructions / ours.seconds / 1e6, theirs.instructions / theirs.seconds / 1e6
            row = "".join(f"{our:9.0f}{their:9.0f}{our / their:7.2f}" for our, their in (times, speeds))
            print(f"{arch:16}{workload.name:18}{row}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [workload.name for workload in WORKLOADS]
    default = f"default: all of {', '.join(names)}; with --against {', '.join(OF_PROCESSOR)}"
    arguments.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=default)
    peers = arguments.add_mutually_exclusive_group()
    peers.add_argument("--peer", type=Path, metavar="DIR", help="where peer_qemu.sh keeps the peer")
    peers.add_argument("--against", type=Path, metavar="DIR", help="another checkout of emu, to be compared with")
    arguments.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="default: %(default)s")
    chosen = arguments.parse_args()
    if unknown := set(chosen.workloads) - set(names):
        arguments.error(f"no such workload: {', '.join(sorted(unknown))}")
    wanted = chosen.workloads or (OF_PROCESSOR if chosen.against else names)
    workloads = [workload for workload in WORKLOADS if workload.name in wanted]
    if chosen.against:
        against_checkout(workloads, chosen.rounds, chosen.against)
    else:
        with_peer(workloads, chosen.rounds, chosen.peer)


if __name__ == "__main__":
    try:
        main()
    except peer.NoPeer as lost:
        sys.exit(f"workloads.py: {lost}")
