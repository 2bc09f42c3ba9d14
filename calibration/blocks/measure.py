# SPDX-License-Identifier: GPL-2.0-only
"""Measures blocks on this machine."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from calibration.blocks.bodies import RELATIVE, relatives

__all__ = ["UNIT", "Measured", "build", "compiler", "measure"]

UNIT = "cycles of the core: what one of a chain of dependent additions takes"
_RELATIVE = 0x50000000 - RELATIVE  # native.c: added to the targets of operands relative to `rip`
_RUNS = 5
_WATCH = 10  # seconds
_SHARE, _WITHIN = 0.01, 1.005  # a gauge's smallest value: at least a share of all readings is within a factor above it
_TOLERANCE = 1.06  # a machine counts as quiet up to this factor times the smallest value
_LARGEST_SPREAD = 0.05
_SHORTEST = 0.1  # cycles


class Measured(NamedTuple):
    """The cycles of a block: the second smallest of the runs; and the range of the three smallest, as a fraction of it."""

    cycles: float
    spread: float


def build(source: Path, directory: Path, *options: str) -> Path:
    """Compiles a harness.

    Raises:
        subprocess.CalledProcessError: the compiler fails, and says why.
        FileNotFoundError: there is no gcc.
    """
    program = directory / source.stem
    subprocess.run(["gcc", "-O1", "-fno-stack-protector", *options, "-o", program, source], check=True)
    return program


def compiler() -> str:
    """The compiler's version."""
    return subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()


def _line(code: bytes) -> str:
    return " ".join([code.hex()] + [f"{at}:{end}:{target + _RELATIVE:x}" for at, end, target in relatives(code)])


def _smallest_frequent(values: Sequence[float]) -> float:
    """The smallest value that is no outlier."""
    ordered = sorted(value for value in values if value > 0)
    count = max(int(len(ordered) * _SHARE), 1)
    for n, value in enumerate(ordered[:-count]):
        if ordered[n + count] <= value * _WITHIN:
            return value
    return ordered[len(ordered) // 2]


def _quiet(program: Path) -> list[float]:
    """The values of native.c's gauges up to which the machine counts as quiet."""
    done = subprocess.run([program, str(_WATCH)], capture_output=True, text=True, check=True)
    looks = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    return [round(_smallest_frequent(gauge) * _TOLERANCE, 3) for gauge in zip(*looks, strict=True)]


class _Pass(NamedTuple):
    """Some runs of the same blocks."""

    measured: dict[bytes, Measured]
    failed: dict[bytes, str]  # with the reason
    unsteady: list[bytes]  # their runs differ too much
    ticks: list[float]
    rounds: list[int]


def _pass(program: Path, limits: Sequence[float], blocks: Sequence[bytes]) -> _Pass:
    text = "".join(_line(code) + "\n" for code in blocks)
    runs = []
    for run in range(_RUNS):
        print(f"{len(blocks)} blocks, run {run + 1} of {_RUNS}", file=sys.stderr)
        done = subprocess.run([program, *map(str, limits)], input=text, capture_output=True, text=True, check=True)
        runs.append([line.split(maxsplit=2) for line in done.stdout.splitlines()])
    made = _Pass({}, {}, [], [], [])
    for code, answers in zip(blocks, zip(*runs, strict=True), strict=True):
        found = [answer for answer in answers if answer[1] != "failed"]
        made.ticks.extend(float(answer[2].split()[0]) for answer in found)
        made.rounds.extend(int(answer[2].split()[1]) for answer in found)
        if len(found) < 3:
            made.failed[code] = next(answer[2] for answer in answers if answer[1] == "failed")
            continue
        cycles = sorted(float(answer[1]) for answer in found)
        spread = (cycles[2] - cycles[0]) / max(cycles[1], 0.01)
        if cycles[1] < _SHORTEST:
            made.failed[code] = "too short"
        elif spread > _LARGEST_SPREAD:
            made.unsteady.append(code)
        else:
            made.measured[code] = Measured(round(cycles[1], 3), round(spread, 4))
    return made


def measure(blocks: Sequence[bytes]) -> tuple[dict[bytes, Measured], dict[str, Any]]:
    """Measures each block in several runs; if there are many blocks, these are seconds apart. Measures unsteady blocks once more.

    Returns:
        The blocks with reproducible measurements; and a summary: how many were dropped, and why.
    """
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(__file__).with_name("native.c"), Path(directory))
        limits = _quiet(program)
        print(f"quiet: up to {limits}", file=sys.stderr)
        first = _pass(program, limits, blocks)
        second = _pass(program, limits, first.unsteady)
    measured = first.measured | second.measured
    dropped = Counter([*first.failed.values(), *second.failed.values(), *["not reproducible"] * len(second.unsteady)])
    return measured, {
        "unit": UNIT, "runs": _RUNS, "quiet": {"stores": limits[0], "additions": limits[1]}, "dropped": dict(dropped),
        "measured again": len(first.unsteady),
        "spread": _quantiles([found.spread for found in measured.values()]),
        "ticks of a cycle": _quantiles(first.ticks + second.ticks),
        "rounds to find 9 quiet ones": _quantiles(first.rounds + second.rounds),
    }  # fmt: skip


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {f"{part} %": ordered[len(ordered) * part // 100] for part in (5, 50, 90, 95)}
