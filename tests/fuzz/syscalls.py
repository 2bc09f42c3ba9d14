# SPDX-License-Identifier: GPL-2.0-only
"""Random system calls with random arguments: no program may harm the kernel or the host."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from emu.cpu.ramdisk import RamDisk
from emu.machine import GuestPanic, LimitReached, Machine, PoweredOff
from tests.fuzz import Outcome, ext2

__all__ = ["run"]

_LONGEST = 5 * 10**6  # nanoseconds of the guest's time for a call, on average


class _Typist:
    """A user at the terminal who types now and then."""

    def __init__(self) -> None:
        self._lines = [b"a line\n", b"\x04", b"more\x7f\x17\x15words \x16\x03\n", b"\n"] * 8

    def size(self) -> tuple[int, int]:
        return 24, 80

    def read(self, *, wait: bool) -> bytes | None:
        if not wait:
            return None
        return self._lines.pop() if self._lines else b""


def _disk() -> RamDisk:
    """A disk with an intact file system."""
    disk = RamDisk(ext2.DISK)
    with tempfile.TemporaryDirectory() as folder:
        disk.write(0, ext2.base_image(Path(folder), ext2.KINDS[0]))
    return disk


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Makes calls on a machine; they depend on the seed and the first number."""
    outcome = Outcome()
    command = f"syscallfuzz {(seed << 32) + numbers.start} {len(numbers)}"
    with Machine(arch=arch, cpus=2, seed=seed + numbers.start, memory=64 << 20, ramdisk=_disk()) as machine:
        try:
            done = machine.run(command, terminal=_Typist(), limit=_LONGEST * len(numbers))
            output = done.output.decode(errors="replace")
            said = re.search(r"(\d+) calls of \d+ kinds in (\d+) children: (\d+) killed, (\d+) hung\r?\n", output)
            well = b"well\n" in machine.run("ls / | sed s/^bin$/well/ | cat").output
        except (GuestPanic, LimitReached, PoweredOff) as error:
            outcome.findings.append(f"{arch}: {command}: {error!r}")
            return outcome
        if said is None or not well or done.status:
            outcome.findings.append(f"{arch}: {command}: status {done.status}: {output[-500:]}")
            return outcome
        outcome.counts.update({name: int(said[n]) for n, name in enumerate(("calls", "children", "killed", "hung"), 1)})
        outcome.findings += [f"{arch}: {command}: {warning}" for warning in machine.warnings]
    return outcome
