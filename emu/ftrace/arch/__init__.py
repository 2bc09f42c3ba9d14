# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to dynamic ftrace."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from emu.kernel.kernel import Kernel

__all__ = ["FtraceArch", "OutOfReach", "load"]


class OutOfReach(ValueError):
    """A call site cannot reach the function it should call."""


class FtraceArch(ABC):
    """Call sites of one architecture.

    To trace calls: cycle_clock, site_size, nop, call(), native().
    To trace returns: native()'s graph_entry and graph_return.
    To patch under running CPUs: breakpoint, protocols, emulate().
    """

    cycle_clock: ClassVar[str]  # the trace clock that counts CPU cycles, as trace_clock names it
    site_size: ClassVar[int]
    nop: ClassVar[bytes]
    breakpoint: ClassVar[bytes]  # replaces the first bytes of a site, one write that no CPU sees half of
    protocols: ClassVar[Sequence[str]]  # that make sense here, the default first

    @abstractmethod
    def call(self, address: int, target: int) -> bytes:
        """The instruction that calls `target` from `address`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    @abstractmethod
    def emulate(self, kernel: Kernel, registers: int, site: int, code: bytes) -> None:
        """Does to a saved struct pt_regs, interrupted by the breakpoint at `site`, what `code` there would do."""

    @abstractmethod
    def native(self) -> SimpleNamespace:
        """The compiled callbacks: function_entry, graph_entry, graph_return, sched_switch."""


def load(name: str) -> FtraceArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.ftrace.arch.{name}")
    arch: FtraceArch = module.ARCH
    return arch
