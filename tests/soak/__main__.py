# SPDX-License-Identifier: GPL-2.0-only
"""All of the long runs, or a part of each: as many at a time as the host has processors.

    python -m tests.soak [--arch ARCH] [--part 0.1] [--only NAME] [--seed N] [--jobs N]

The results are printed in the same order, and are the same, however many run at a time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from emu.architectures import ARCHITECTURES
from tests.fuzz import Outcome
from tests.soak import (
    FUZZERS,
    INSTANTS,
    INSTRUCTIONS,
    KILLS,
    PATCHES,
    PROBED_AT_ONCE,
    PROBED_FUNCTIONS,
    PROBED_PROGRAMS,
    SAMPLES,
    TOGGLES,
    TRACERS,
    checkpoints,
    kills,
    mutants,
    patches,
    probes,
    samples,
    stress,
    toggles,
    tracers,
    uprobes,
)

Submit = Callable[..., "Future[object]"]


class SoakFailure(Exception):
    """A run has failed."""


@dataclass
class Part:
    """One kind of run on one architecture: its pieces, and the sum of their results."""

    name: str
    pieces: list[Future[object]]
    sum_up: Callable[[Sequence[object]], str]
    done: int = 0
    shown: int = field(default=-1)
    start: float = field(default_factory=time.monotonic)

    def progress(self) -> None:
        """Prints a line for each tenth."""
        self.done += 1
        tenths = self.done * 10 // len(self.pieces)
        if tenths > self.shown:
            self.shown = tenths
            print(f"{self.name}: {tenths * 10:3} % after {time.monotonic() - self.start:.0f} s", file=sys.stderr, flush=True)

    def result(self) -> str:
        return self.sum_up([piece.result() for piece in self.pieces])


def _sum_up_stress(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, stress.Outcome)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    if first.left:
        raise SoakFailure(f"left over: {first.left}")
    done = f"{first.instructions:,} instructions in {first.rounds} rounds, {first.entries:,} entries traced"
    return f"{done}; twice {first.digest[:16]}"


def _sum_up_toggles(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, toggles.Toggled)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    return f"{first.toggles:,} toggles, {first.entries:,} entries of {first.kinds} events; twice {first.digest[:16]}"


def _sum_up_turns(outcomes: Sequence[object]) -> str:
    (hits,) = outcomes
    return f"all turned, {hits:,} breakpoints hit"


def _sum_up_patches(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, patches.Patched)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    done = f"{first.replaced:,} patches of {first.functions} functions, {first.waits} waits for tasks"
    return f"{done}; twice {first.digest[:16]}"


def _sum_up_samples(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, samples.Loaded)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    done = f"{first.modules:,} modules have come, {first.refused:,} were refused, {first.wrote:,} lines of theirs"
    return f"{done}; twice {first.digest[:16]}"


def _sum_up_tracers(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, tracers.Switched)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    done = f"{first.switches:,} switches of {first.tracers} tracers, {first.lines:,} lines, {first.latencies} latencies checked"
    return f"{done}; twice {first.digest[:16]}"


def _sum_up_probes(outcomes: Sequence[object]) -> str:
    done = probes.Probed()
    for outcome in outcomes:
        assert isinstance(outcome, probes.Probed)
        done += outcome
    return f"{done.probes:,} probes, {done.refused:,} refused, {done.hits:,} hits"


def _sum_up_uprobes(outcomes: Sequence[object]) -> str:
    """The second run must equal the first one."""
    first, again = outcomes
    assert isinstance(first, uprobes.ProbedPrograms)
    if first != again:
        raise SoakFailure(f"two runs differ: {first} and {again}")
    return f"{first.probes:,} probes in programs, {first.hits:,} hits; twice {first.digest[:16]}"


def _sum_up_checkpoints(outcomes: Sequence[object]) -> str:
    instants = patching = 0
    for outcome in outcomes:
        assert isinstance(outcome, checkpoints.Returned)
        instants, patching = instants + outcome.instants, patching + outcome.patching
    return f"{instants} instants, sites were being changed at {patching}"


def _sum_up_mutants(outcomes: Sequence[object]) -> str:
    (outcome,) = outcomes
    assert isinstance(outcome, mutants.Replayed)
    return f"{outcome.schedules:,} schedules of {outcome.protocols} protocols, all as recorded"


def _sum_up_fuzzing(outcomes: Sequence[object]) -> str:
    total = Outcome()
    for outcome in outcomes:
        assert isinstance(outcome, Outcome)
        total.add(outcome)
    if total.findings:
        raise SoakFailure(f"{len(total.findings)} findings:\n" + "\n".join(total.findings))
    return ", ".join(f"{count:,} {what}" for what, count in sorted(total.counts.items()))


def _part(submit: Submit, name: str, arch: str, part: float, seed: int) -> Part:
    title = f"{arch} {name}"
    if name == "stress":
        pieces = [submit(stress.stress, arch, int(INSTRUCTIONS * part), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_stress)
    if name == "toggles":
        pieces = [submit(toggles.toggle, arch, int(TOGGLES * part), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_toggles)
    if name == "keys":
        return Part(title, [submit(toggles.turn, arch, int(TOGGLES * part), seed)], _sum_up_turns)
    if name == "patches":
        pieces = [submit(patches.replace, arch, int(PATCHES * part), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_patches)
    if name == "samples":
        pieces = [submit(samples.load, arch, int(SAMPLES * part), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_samples)
    if name == "tracers":
        pieces = [submit(tracers.switch, arch, int(TRACERS * part), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_tracers)
    if name == "probes":
        functions = range(max(int(PROBED_FUNCTIONS * part), 1))
        pieces = [submit(probes.every_instruction, arch, functions[n : n + 20], seed) for n in functions[::20]]
        pieces.append(submit(probes.many_at_once, arch, PROBED_AT_ONCE, max(int(20 * part), 1), seed))
        return Part(title, pieces, _sum_up_probes)
    if name == "uprobes":
        pieces = [submit(uprobes.probe, arch, max(int(PROBED_PROGRAMS * part), 1), seed) for _ in range(2)]
        return Part(title, pieces, _sum_up_uprobes)
    if name == "checkpoints":
        pieces = [submit(checkpoints.go_back, arch, int(INSTANTS * part / 4), seed + n) for n in range(4)]
        return Part(title, pieces, _sum_up_checkpoints)
    if name == "mutants":
        return Part(title, [submit(mutants.replay, arch, part, seed)], _sum_up_mutants)
    if name == "kills":
        return Part(title, [submit(kills.run, arch, seed, range(max(int(KILLS * part), 1)))], kills.sum_up)
    fuzzer = FUZZERS[name]
    return Part(title, [submit(fuzzer.run, arch, seed, numbers) for numbers in fuzzer.pieces(part)], _sum_up_fuzzing)


def main() -> int:
    names = ["stress", "toggles", "keys", "patches", "samples", "tracers", "probes", "uprobes", "checkpoints", "mutants", "kills"]
    names += FUZZERS
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Long runs that look for what short tests miss.")
    parser.add_argument("--arch", choices=ARCHITECTURES, action="append", help="default: each")
    parser.add_argument("--part", type=float, default=1.0, help="how much of it, from 0 to 1 (default)")
    parser.add_argument("--only", choices=names, action="append", help="default: all parts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time; default: as there are processors")
    options = parser.parse_args()
    failed = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        parts = [
            _part(pool.submit, name, arch, options.part, options.seed)
            for name in options.only or names
            for arch in options.arch or ARCHITECTURES
        ]
        part_of = {piece: part for part in parts for piece in part.pieces}
        for piece in as_completed(part_of):
            part_of[piece].progress()
    for part in parts:
        try:
            result = part.result()
        except Exception as error:  # the other parts are still useful
            failed += 1
            result = f"FAILED: {error}" if isinstance(error, SoakFailure) else f"FAILED: {error!r}"
        print(f"{part.name}: {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
