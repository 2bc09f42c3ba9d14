# SPDX-License-Identifier: GPL-2.0-only
"""Changing instructions under running CPUs.

A protocol is data: a function from patches to steps. The driver performs the steps while the CPUs go on running. It
remembers only which step comes next and which CPUs have not answered yet.

    before          0f 1f 44 00 00     an instruction of five bytes
    breakpoint      cc 1f 44 00 00     breakpoint | old tail
    tail            cc d2 3a 00 00     breakpoint | new tail
    after           e8 d2 3a 00 00     another

Which protocols make sense is the architecture's to say (`FtraceArch.protocols`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.arch import FtraceArch
from emu.kernel.kernel import Kernel
from emu.kernel.upcalls import Upcall

__all__ = ["PROTOCOLS", "Driver", "Park", "Patch", "Protocol", "Release", "Step", "Synchronise", "Write"]


@dataclass(frozen=True)
class Patch:
    """One instruction to change, at a virtual address of the kernel's text."""

    address: int
    old: bytes
    new: bytes


@dataclass(frozen=True)
class Write:
    """Puts `new` at an address, which must hold `expected`."""

    address: int
    expected: bytes
    new: bytes


@dataclass(frozen=True)
class Synchronise:
    """Every CPU takes an interrupt and forgets what it has translated from the patched places."""


@dataclass(frozen=True)
class Park:
    """Every CPU waits with interrupts off, outside the patched places."""


@dataclass(frozen=True)
class Release:
    """The parked CPUs go on, having forgotten the patched places."""


Step: TypeAlias = Write | Synchronise | Park | Release
Protocol: TypeAlias = Callable[[Sequence[Patch], bytes], list[Step]]


def breakpoint_synced(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions under running CPUs: breakpoint first, then the tail, then the head."""
    n = len(breakpoint)
    return [
        *[Write(p.address, p.old[:n], breakpoint) for p in patches],
        Synchronise(),
        *[Write(p.address + n, p.old[n:], p.new[n:]) for p in patches],
        Synchronise(),
        *[Write(p.address, breakpoint, p.new[:n]) for p in patches],
        Synchronise(),
    ]


def flush(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions that are written at once. A CPU runs the old or the new one; after a flush, the new one."""
    return [*[Write(p.address, p.old, p.new) for p in patches], Synchronise()]


def stop_machine(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions while every CPU waits."""
    return [Park(), *[Write(p.address, p.old, p.new) for p in patches], Release()]


PROTOCOLS: Mapping[str, Protocol] = {"breakpoint": breakpoint_synced, "flush": flush, "stop_machine": stop_machine}


class Driver:
    """Performs one protocol's steps at a time.

    When a place does not hold the expected bytes, the writes made so far are undone while every CPU waits, and `failed`
    is called with a sentence (what Linux's ftrace_bug() reports).

    Attributes:
        deaf_cpus: for the study of races: CPUs that answer without flushing; they go on in their old translations.
        breakpoints_hit: how often a CPU hit the breakpoint at a place that was being changed.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, failed: Callable[[str], None]) -> None:
        self._kernel = kernel
        self._arch = arch
        self._failed = failed
        self._sync_core = kernel.image.symbol("upcall_sync_core")
        self._stop_machine = kernel.image.symbol("upcall_stop_machine")
        self._park_area = kernel.image.symbol("__ftrace_shared")
        self._steps: list[Step] = []
        self._next = 0
        self._awaited: set[int] = set()  # CPUs that have not answered the step before `_next`
        self._parked = False
        self._journal: list[Write] = []  # the writes made
        self._patches: dict[int, Patch] = {}
        self._places = np.zeros((0, 2), np.uint64)
        self._finished: Callable[[], None] = lambda: None
        self.deaf_cpus: set[int] = set()
        self.breakpoints_hit = 0

    @property
    def busy(self) -> bool:
        """Whether a protocol is under way."""
        return bool(self._steps)

    def start(self, patches: Sequence[Patch], protocol: Protocol, finished: Callable[[], None]) -> None:
        """Begins a protocol; `finished` is called when its last step is done. No other may be under way."""
        assert not self.busy
        breakpoint = self._arch.breakpoint
        self._steps = protocol(patches, breakpoint.code if breakpoint else b"")
        self._next = 0
        self._journal = []
        self._patches = {patch.address: patch for patch in patches}
        starts = [self._kernel.memory.physical(p.address) for p in patches]
        places = [(start, start + len(p.old)) for start, p in zip(starts, patches, strict=True)]
        self._places = np.array(places, np.uint64).reshape(len(patches), 2)
        self._finished = finished
        self._advance()

    def on_breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """Handles a breakpoint at a place being changed; False: it is at none. `registers`: the saved pt_regs."""
        breakpoint = self._arch.breakpoint
        if breakpoint is None:
            return False
        site = breakpoint.site(self._kernel.memory, registers)
        patch = self._patches.get(site)
        if patch is None:
            return False
        self.breakpoints_hit += 1
        breakpoint.emulate(self._kernel.memory, registers, site, patch.new)
        return True

    def _advance(self) -> None:
        """Performs steps until CPUs have to answer one, or none is left."""
        while not self._awaited:
            if self._next == len(self._steps):
                self._steps = []
                self._patches = {}
                self._finished()
                return
            step = self._steps[self._next]
            self._next += 1
            match step:
                case Write():
                    self._write(step)
                case Synchronise():
                    self._post(self._sync_core, 0, on_begin=self._forget, on_end=self._answered)
                case Park():
                    for name in ("arrived", "released"):
                        self._kernel.memory.set_member(self._park_area, f"upcall_stop.{name}", 0)
                    self._parked = True
                    self._post(self._stop_machine, self._park_area, on_begin=self._waits, on_end=self._answered)
                case Release():
                    self._parked = False
                    self._awaited = set(self._kernel.hot_areas)
                    for index in self._awaited:
                        self._forget(self._kernel.board.cpus[index])
                    self._kernel.memory.set_member(self._park_area, "upcall_stop.released", 1)

    def _write(self, step: Write) -> None:
        place = self._kernel.memory.physical(step.address)
        board = self._kernel.board
        found = bytes(board.ram[place : place + len(step.expected)])
        if found == step.expected:
            board.write_code(place, step.new)
            self._journal.append(step)
            return
        undo: list[Step] = [Write(w.address, w.new, w.expected) for w in reversed(self._journal)]
        self._steps[self._next :] = [*undo, Release()] if self._parked else [Park(), *undo, Release()]
        self._failed(
            f"ftrace failed to modify {step.address:#x}: expected {step.expected.hex(' ')}, found {found.hex(' ')}"
        )

    def _post(self, function: int, argument: int, on_begin: Callable[[Cpu], None], on_end: Callable[[Cpu, int], None]) -> None:
        board = self._kernel.board
        self._awaited = set(self._kernel.hot_areas)
        time = board.now
        for index in sorted(self._awaited):
            self._kernel.upcalls.post(board.cpus[index], Upcall(function, argument, on_begin, on_end), time)

    def _forget(self, cpu: Cpu) -> None:
        if cpu.index not in self.deaf_cpus:
            cpu.forget(self._places)

    def _waits(self, cpu: Cpu) -> None:
        """A CPU enters the function in which it waits. When the last CPU has, the writes begin."""
        self._awaited.discard(cpu.index)
        self._advance()

    def _answered(self, cpu: Cpu, result: int) -> None:
        self._awaited.discard(cpu.index)
        self._advance()
