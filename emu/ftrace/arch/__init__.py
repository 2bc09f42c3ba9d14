# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to dynamic ftrace."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from emu.cpu.arch import CpuArch
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

    @functools.cached_property
    def _callbacks(self) -> Mapping[str, int]:
        module: Any = importlib.import_module(f"emu.ftrace.native.arch.{self.cpu.name}")  # compiles
        compiled: Mapping[str, int] = module.build(self.cpu.native().irqs_off)
        return compiled

    def callbacks(self) -> Mapping[str, int]:
        """By label of the kernel's .ftrace.text: the address of the native function that acts when a block begins there.

        Among them is what records calls (ftrace_caller, ftrace_graph_caller or what it calls), returns (return_to_handler or
        what it calls), process switches (ftrace_sched_switch), and the beginnings and ends of tasks (ftrace_sched_process_fork,
        ftrace_sched_process_free).
        """
        return self._callbacks


def load(name: str) -> FtraceArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.ftrace.arch.{name}")
    arch: FtraceArch = module.ARCH
    return arch
