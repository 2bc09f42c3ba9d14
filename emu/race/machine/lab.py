# SPDX-License-Identifier: GPL-2.0-only
"""A booted machine whose CPUs stand in front of the sites of the module race_lab: the base of every exploration."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

import numpy as np

from emu.cpu.snapshot import Snapshots
from emu.cpu.timing import STATIC
from emu.machine import Machine
from emu.race.machine.cpu_direction import CpuDirection
from emu.race.machine.lab_module import LabModule, LabSite

__all__ = ["Lab"]

_MEMORY = 112 << 20  # bytes; so the module lies far from the kernel: every byte of a call is another one than in a nop
_SETTLE = 100_000  # cycles after which every CPU runs its thread of the module
_PAGE = 4096


class Lab:
    """A machine with the module race_lab. Each CPU is at home in its thread, and no timer interrupts it.

    It is booted once, and put back to its base before each scenario.

    Args:
        arch: the architecture.
        cpus: how many.
        seed: of the machine.

    Attributes:
        arch: as given.
        machine: the machine.
        module: the module.
        cpus: its CPUs, as they are directed.
        snapshots: of the machine; their base is the lab's.
        digest: of the base: RAM with the images in it, and registers.
    """

    def __init__(self, arch: str, cpus: int, seed: int) -> None:
        self.arch = arch
        with ExitStack() as opened:
            self.machine = opened.enter_context(Machine(arch=arch, cpus=cpus, seed=seed, memory=_MEMORY, timing=STATIC))
            self._prepare()
            opened.pop_all()

    def _prepare(self) -> None:
        """Brings the booted machine to the base."""
        machine = self.machine
        loaded = machine.run("modprobe race_lab")
        if loaded.status:
            raise RuntimeError(f"the guest cannot load race_lab: {loaded.output.decode(errors='replace').strip()}")
        self.module = LabModule(machine.kernel)
        machine.advance(_SETTLE)
        self.cpus = [CpuDirection(machine, cpu, self.module) for cpu in machine.board.cpus]
        for cpu in self.cpus:
            cpu.hold_timers()
            cpu.go_home()
        self.digest = self._digest()
        self.snapshots = Snapshots(machine.board, [machine])

    def close(self) -> None:
        """Gives the machine's memory back."""
        self.machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sites(self, places: Sequence[int]) -> list[LabSite]:
        """Sites at offsets in their lines, each another function.

        Raises:
            LookupError: the module has none left at such an offset. The text says so.
        """
        left = {place: list(sites) for place, sites in self.module.sites.items()}
        found = []
        for place in places:
            if not left.get(place):
                raise LookupError(f"the module race_lab has {len(self.module.sites.get(place, ()))} functions at offset {place}")
            found.append(left[place].pop(0))
        return found

    def targets(self, places: Sequence[int]) -> tuple[int, int]:
        """What the sites may call: the kernel's trampoline, and a function of the module that does nothing either."""
        taken = self.sites(places)
        other = next(site for sites in reversed(list(self.module.sites.values())) for site in sites if site not in taken)
        return self.machine.kernel.image.symbol("ftrace_caller"), other.function

    def _digest(self) -> str:
        found = hashlib.blake2b(digest_size=8)
        pages = np.frombuffer(self.machine.board.ram, np.uint8).reshape(-1, _PAGE)
        for number in np.flatnonzero(pages.any(axis=1)):
            found.update(int(number).to_bytes(8, "little"))
            found.update(pages[number].tobytes())
        for cpu in self.machine.board.cpus:
            found.update(repr(sorted(cpu.registers().items())).encode())
        return found.hexdigest()
