# SPDX-License-Identifier: GPL-2.0-only
"""A booted machine whose CPUs are at the sites of the module race_lab: the base of all explorations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

import numpy as np

from emu.cpu.snapshot import Snapshots
from emu.cpu.timing import STATIC
from emu.machine import Machine
from emu.race.arch import load
from emu.race.machine.cpu_direction import CpuDirection
from emu.race.machine.lab_module import LabModule, LabSite

__all__ = ["Lab"]

_MEMORY = 112 << 20  # bytes; puts the module far from the kernel: every byte of a call then differs from the nop's
_SETTLE = 100_000  # cycles after which every CPU runs its thread of the module
_PAGE = 4096


class Lab:
    """A machine with the module race_lab. Each CPU is at home in its thread, without timer interrupts.

    It is booted once, and reset to its base before each scenario.

    Args:
        arch: the architecture.
        cpus: the number of CPUs.
        seed: the machine's seed.
        patcher: whether it has one more CPU, for what the patcher does that is no step of the driver.

    Attributes:
        arch: as given.
        machine: the machine.
        module: the module.
        cpus: its CPUs, for directing them.
        patcher: the patcher's CPU; None: it has none.
        snapshots: the machine's snapshots; their base is the lab's.
        digest: a digest of the base: RAM, including the images, and registers.
    """

    def __init__(self, arch: str, cpus: int, seed: int, *, patcher: bool = False) -> None:
        self.arch = arch
        self.patcher: CpuDirection | None = None
        self.cpus: list[CpuDirection] = []
        with ExitStack() as opened:
            self.machine = opened.enter_context(Machine(arch=arch, cpus=cpus + patcher, seed=seed, memory=_MEMORY, timing=STATIC))
            self._prepare(cpus)
            opened.pop_all()

    def _prepare(self, cpus: int) -> None:
        """Brings the booted machine to its base."""
        machine = self.machine
        loaded = machine.run("modprobe race_lab")
        if loaded.status:
            raise RuntimeError(f"the guest cannot load race_lab: {loaded.output.decode(errors='replace').strip()}")
        self.module = LabModule(machine.kernel)
        machine.advance(_SETTLE)
        directions = [CpuDirection(machine, cpu, self.module) for cpu in machine.board.cpus]
        for cpu in directions:
            cpu.hold_timers()
            cpu.go_home()
        self.cpus = directions[:cpus]
        self.patcher = directions[cpus] if directions[cpus:] else None
        self.digest = self._digest()
        self.snapshots = Snapshots(machine.board, [machine])

    def close(self) -> None:
        """Frees the machine's memory."""
        self.machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sites(self, places: Sequence[int]) -> list[LabSite]:
        """Sites at these offsets in their lines, each in a different function.

        Raises:
            LookupError: the module has no site left at one of the offsets. The text says so.
        """
        left = {place: list(sites) for place, sites in self.module.sites.items()}
        found = []
        for place in places:
            if not left.get(place):
                raise LookupError(f"the module race_lab has {len(self.module.sites.get(place, ()))} functions at offset {place}")
            found.append(left[place].pop(0))
        return found

    def targets(self, places: Sequence[int], *, trampoline: bool = False) -> tuple[int, int]:
        """Targets for the sites' calls: the kernel's trampoline, and another function (`RaceArch.second_target`).

        `trampoline`: the first one is the module's, which can be freed, and the second one the kernel's.
        """
        if trampoline:
            return self.module.trampoline, self.machine.kernel.image.symbol("ftrace_caller")
        image, second = self.machine.kernel.image, load(self.arch).second_target
        if second:
            return image.symbol("ftrace_caller"), image.symbol(second)
        taken = self.sites(places)
        other = next(site for sites in reversed(list(self.module.sites.values())) for site in sites if site not in taken)
        return image.symbol("ftrace_caller"), other.function

    def landings(self, *, trampoline: bool = False) -> tuple[int, int]:
        """Functions that only return: one of the module, or its trampoline, and one of the kernel, which is far away."""
        first = self.module.trampoline if trampoline else self.module.rest
        return first, self.machine.kernel.image.symbol(load(self.arch).landing)

    def _digest(self) -> str:
        found = hashlib.blake2b(digest_size=8)
        pages = np.frombuffer(self.machine.board.ram, np.uint8).reshape(-1, _PAGE)
        for number in np.flatnonzero(pages.any(axis=1)):
            found.update(int(number).to_bytes(8, "little"))
            found.update(pages[number].tobytes())
        for cpu in self.machine.board.cpus:
            found.update(repr(sorted(cpu.registers().items())).encode())
        return found.hexdigest()
