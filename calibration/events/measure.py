# SPDX-License-Identifier: GPL-2.0-only
"""Measures events on this machine."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from calibration import stored
from calibration.blocks.measure import UNIT, build, compiler

__all__ = ["measure_events"]

_PROGRAMS = ("core", "memory", "code", "sharing")
_RUNS = 15
_APART = 4  # seconds between runs, as other guests of the host are busy for a while, and then not
_OPTIONS = ("-D_GNU_SOURCE", "-pthread")


def measure_events() -> Path:
    """Stores what each event costs: the second smallest of several runs, for events between two CPUs the median; and both
    quartiles."""
    answers: dict[str, list[float]] = {}
    between: set[str] = set()
    with tempfile.TemporaryDirectory() as directory:
        programs = [build(Path(__file__).with_name(f"{name}.c"), Path(directory), *_OPTIONS) for name in _PROGRAMS]
        for run in range(_RUNS):
            print(f"run {run + 1} of {_RUNS}", file=sys.stderr)
            for program in programs:
                done = subprocess.run([program], capture_output=True, text=True, check=True)
                for line in done.stdout.splitlines():
                    name, _, found = line.partition("\t")
                    answers.setdefault(name, []).append(float(found))
                    if program.name == "sharing":
                        between.add(name)
            time.sleep(_APART)
    entries = []
    for name, cycles in answers.items():
        ordered = sorted(cycles)
        best = ordered[len(ordered) // 2] if name in between else ordered[min(1, len(ordered) - 1)]
        entries.append([name, best, ordered[len(ordered) // 4], ordered[len(ordered) * 3 // 4]])
    tools = {"gcc": compiler(), "kernel": platform.release()}
    header = {"unit": UNIT, "runs": _RUNS, "tools": tools, "columns": ["event", "cycles", "lower quartile", "upper quartile"]}
    return stored.save(stored.machine_name(), "events", header, entries)
