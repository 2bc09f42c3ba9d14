# SPDX-License-Identifier: GPL-2.0-only
"""All of the long runs, or a part of each.

    python -m tests.soak [--arch ARCH] [--part 0.1] [--only NAME] [--seed N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from emu.cpu.arch import ARCHITECTURES
from tests.soak import FUZZERS, INSTRUCTIONS, stress


class Progress:
    """One line on a terminal, or one for each tenth elsewhere."""

    def __init__(self, name: str) -> None:
        self._name, self._shown, self._start = name, -1, time.monotonic()

    def __call__(self, done: float) -> None:
        tenths = int(done * 10)
        if tenths > self._shown:
            self._shown = tenths
            print(f"{self._name}: {tenths * 10:3} % after {time.monotonic() - self._start:.0f} s", file=sys.stderr, flush=True)


def run_stress(arch: str, part: float, seed: int, progress: Callable[[float], None]) -> str:
    """Twice: the second run must be the first one again."""
    first = stress.stress(arch, int(INSTRUCTIONS * part), seed, lambda done: progress(done / 2))
    again = stress.stress(arch, int(INSTRUCTIONS * part), seed, lambda done: progress(0.5 + done / 2))
    if first != again:
        raise stress.StressFailure(f"two runs differ: {first} and {again}")
    if first.left:
        raise stress.StressFailure(f"left over: {first.left}")
    done = f"{first.instructions:,} instructions in {first.rounds} rounds, {first.entries:,} entries traced"
    return f"{done}; twice {first.digest[:16]}"


def run_fuzz(name: str) -> Callable[[str, float, int, Callable[[float], None]], str]:
    fuzz, whole = FUZZERS[name]

    def run(arch: str, part: float, seed: int, progress: Callable[[float], None]) -> str:
        total = max(int(whole * part), 1)
        for n in range(10):  # in tenths, for the sake of progress
            share = total * (n + 1) // 10 - total * n // 10
            # Seeds lie apart: a fuzzer may count on from the one that it is given.
            if share and (failures := fuzz(share, seed + 1000 * n, arch)):
                raise AssertionError(f"{name}: {failures}")
            progress((n + 1) / 10)
        return f"{total:,} survived"

    return run


PARTS = {"stress": run_stress, **{name: run_fuzz(name) for name in FUZZERS}}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Long runs that look for what short tests miss.")
    parser.add_argument("--arch", choices=ARCHITECTURES, action="append", help="default: each")
    parser.add_argument("--part", type=float, default=1.0, help="how much of it, from 0 to 1 (default)")
    parser.add_argument("--only", choices=PARTS, action="append", help="default: all parts")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = 0
    for arch in options.arch or ARCHITECTURES:
        for name in options.only or PARTS:
            try:
                result = PARTS[name](arch, options.part, options.seed, Progress(f"{arch} {name}"))
            except Exception as error:  # the other parts are still worth running
                failed += 1
                result = f"FAILED: {error!r}"
            print(f"{arch} {name}: {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
