# SPDX-License-Identifier: GPL-2.0-only
"""Long runs: everything at once for billions of instructions, and files, calls and writes that try to break the kernel.

`make soak` runs all of it, the test suite a part. Both use the table here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz import Outcome, campaigns, elf, ext2, litmus, syscalls, texts, trace_dat, trace_dat_texts, tracefs

__all__ = [
    "FUZZED", "FUZZERS", "INSTANTS", "INSTRUCTIONS", "KILLS", "PATCHES", "PROBED_AT_ONCE", "PROBED_FUNCTIONS", "PROBED_PROGRAMS",
    "SAMPLES", "SUITE", "TOGGLES", "TRACERS", "Fuzzer",
]  # fmt: skip

INSTRUCTIONS = 2_500_000_000  # of a stress run
TOGGLES = 1_000  # of events and of static keys, by each patching protocol
PATCHES = 1_000  # of functions that are replaced or restored
SAMPLES = 200  # half of these changes load or remove Linux's sample modules
INSTANTS = 200  # to which a busy machine returns
PROBED_FUNCTIONS = 200  # functions with kprobes at every instruction, one function after the other
PROBED_AT_ONCE = 300  # kprobes that are added and removed together
PROBED_PROGRAMS = 20  # rounds that each probe 100 more places in programs
KILLS = 40  # of `emu mount`, at random moments
TRACERS = 1_000  # one after the other, while everything else traces, too
SUITE = 0.1  # the share of everything that is in the test suite
FUZZED = 0.01  # that of damaged files, calls and writes


@dataclass(frozen=True)
class Fuzzer:
    """A kind of fuzzing, in pieces: each has a machine of its own, so that they can run in parallel.

    Args:
        run: makes the tries with a seed and some numbers, on an architecture.
        whole: the number of tries for each architecture.
        piece: the number of tries in a piece.
        least: the minimum share of each result in every piece: otherwise the fuzzer misses its target.
    """

    run: Callable[[str, int, range], Outcome]
    whole: int
    piece: int
    least: dict[str, float]

    def pieces(self, part: float) -> list[range]:
        """The numbers of a share of all tries, from 0 to 1."""
        end = max(int(self.whole * part), 1)
        return [range(start, min(start + self.piece, end)) for start in range(0, end, self.piece)]

    def check(self, arch: str, numbers: range) -> None:
        """Runs a piece as a test.

        Raises:
            AssertionError: there is a finding, or some result was too rare.
        """
        outcome = self.run(arch, 0, numbers)
        assert not outcome.findings, "\n".join(outcome.findings)
        assert {what for what, share in self.least.items() if outcome.counts[what] < share * len(numbers)} == set(), outcome


FUZZERS = {
    "programs": Fuzzer(elf.programs, 5_000, 500, {"refused": 0.1, "accepted": 0.1, "killed": 0.05}),
    "interpreters": Fuzzer(elf.interpreters, 2_500, 500, {"refused": 0.1, "accepted": 0.1, "killed": 0.05}),
    "modules": Fuzzer(elf.modules, 5_000, 500, {"refused": 0.3, "accepted": 0.1}),
    "event_modules": Fuzzer(elf.event_modules, 5_000, 500, {"refused": 0.3, "accepted": 0.1}),
    "ext2": Fuzzer(ext2.run, 2_500, 125, {"images": 1, "mounted": 0.5}),
    "syscalls": Fuzzer(syscalls.run, 500_000, 25_000, {"calls": 1, "children": 0.01}),
    "litmus": Fuzzer(litmus.run, 20_000, 500, {"refused": 0.3, "accepted": 0.02}),
    "tracefs": Fuzzer(tracefs.run, 50_000, 2_500, {"changes": 1, "refused": 0.2, "accepted": 0.1, "logged": 0.01}),
    "scenarios": Fuzzer(texts.scenarios, 20_000, 1_000, {"refused": 0.5, "accepted": 0.1}),
    "trace_dat": Fuzzer(trace_dat.run, 10_000, 500, {"refused": 0.3, "accepted": 0.1, "salvaged": 0.8}),
    "trace_dat_texts": Fuzzer(trace_dat_texts.run, 2_000, 50, {"shown": 10, "refused": 1}),
    "tables": Fuzzer(campaigns.tables, 5_000, 500, {"refused": 0.8}),
    "journals": Fuzzer(campaigns.journals, 5_000, 500, {"refused": 0.3, "accepted": 0.1}),
    "schedules": Fuzzer(texts.schedules, 20_000, 1_000, {"refused": 0.5, "accepted": 0.05}),
}
