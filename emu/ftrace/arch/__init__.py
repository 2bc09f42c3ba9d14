# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to dynamic ftrace."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from emu.cpu.arch import CpuArch
from emu.ftrace.native.arch import Callbacks
from emu.ftrace.native.guest_layout import GuestLayout
from emu.kernel.memory import GuestMemory

__all__ = ["Breakpoint", "FtraceArch", "OutOfReach", "load"]


class OutOfReach(ValueError):
    """A call site cannot reach the function it should call."""


class Breakpoint(ABC):
    """The instruction that stops a CPU which comes to a site while it is changed, where that takes more than one write."""

    code: ClassVar[bytes]  # replaces the first bytes of a site, one write that no CPU sees half of

    @abstractmethod
    def site(self, memory: GuestMemory, registers: int) -> int:
        """The address of the breakpoint that was hit, from the saved struct pt_regs."""

    @abstractmethod
    def emulate(self, memory: GuestMemory, registers: int, site: int, code: bytes) -> None:
        """Does to the saved struct pt_regs, interrupted by the breakpoint at `site`, what `code` there would do."""


class FtraceArch(ABC):
    """Call sites of one architecture.

    To trace calls: cpu, cycle_clock, profiler, nop, call(), and the module of callbacks in emu.ftrace.native.arch.
    To trace returns: return_offset, and the callbacks of the labels by which calls return.
    To patch under running CPUs: protocols, breakpoint.
    """

    cpu: ClassVar[CpuArch]
    cycle_clock: ClassVar[str]  # the trace clock that counts CPU cycles, as trace_clock names it
    profiler: ClassVar[str]  # what the sites call as they are compiled
    nop: ClassVar[bytes]
    return_offset: ClassVar[int]  # a function continues its caller at its return address plus this
    protocols: ClassVar[Sequence[str]]  # of emu.ftrace.patching, those that make sense here, the default first
    breakpoint: ClassVar[Breakpoint | None]

    @abstractmethod
    def call(self, address: int, target: int) -> bytes:
        """The instruction that calls `target` from `address`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    def callbacks(self, guest: GuestLayout) -> Callbacks:
        """What acts at labels of the kernel's .ftrace.text, compiled for the layout of its structures."""
        return _callbacks(self, guest)


@functools.cache
def _callbacks(arch: FtraceArch, guest: GuestLayout) -> Callbacks:
    module: Any = importlib.import_module(f"emu.ftrace.native.arch.{arch.cpu.name}")
    compiled: Callbacks = module.build(guest, arch.cpu.native().irqs_off)
    return compiled


def load(name: str) -> FtraceArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.ftrace.arch.{name}")
    arch: FtraceArch = module.ARCH
    return arch
