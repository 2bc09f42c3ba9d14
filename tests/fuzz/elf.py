# SPDX-License-Identifier: GPL-2.0-only
"""Damaged ELF files, made and tried inside the guest by its program `elffuzz`: many to a boot."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from emu.machine import GuestPanic, Machine

__all__ = ["Outcome", "fuzz"]

_FILES_PER_BOOT = 1000


@dataclass
class Outcome:
    """How many files the kernel refused, accepted, and accepted with the program that tried it being killed.

    `findings`: what must not be: oopses, panics, and files that could not be tried.
    """

    refused: int = 0
    accepted: int = 0
    killed: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.refused + self.accepted + self.killed


def fuzz(
    kind: str, file: str, prepare: str, count: int, seed: int, arch: str, progress: Callable[[int], None] = lambda done: None
) -> Outcome:
    """Tries `count` damaged copies of a guest's file, damaged as `seed` says.

    Args:
        kind: "module" or "program".
        file: its path in the guest.
        prepare: a command to run first.
        progress: told how many have been tried.
    """
    outcome = Outcome()
    for first in range(0, count, _FILES_PER_BOOT):
        part = min(_FILES_PER_BOOT, count - first)
        with Machine(arch=arch, cpus=1, seed=seed) as machine:
            where = f"{kind} {file}, seeds {seed + first} to {seed + first + part - 1}"
            try:
                machine.run(prepare)
                output = machine.run(f"elffuzz {kind} {file} {seed + first} {part}").output.decode(errors="replace")
                alive = machine.run("echo alive").output == b"alive\n"
            except GuestPanic as panic:
                outcome.findings.append(f"{where}: {panic}")
                continue
            counts = re.search(r"^(\d+) refused, (\d+) accepted, (\d+) killed\n\Z", output, re.MULTILINE)
            if counts is None or not alive:
                outcome.findings.append(f"{where}: {output[-500:]}")
                continue
            outcome.refused += int(counts[1])
            outcome.accepted += int(counts[2])
            outcome.killed += int(counts[3])
            outcome.findings += [f"{where}: {warning}" for warning in machine.warnings]
        progress(first + part)
    return outcome
