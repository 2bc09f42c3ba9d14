# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for dynamic ftrace."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.kernel.memory import GuestMemory

if TYPE_CHECKING:
    from emu.ftrace.arch.probing import Probing

__all__ = ["Breakpoint", "CodeRange", "FtraceArch", "GraphPath", "OutOfReach", "load"]


class OutOfReach(ValueError):
    """A call site cannot reach the function that it should call."""


class Breakpoint(ABC):
    """The breakpoint instruction for sites that are being patched. Needed if patching a site takes several writes."""

    code: ClassVar[bytes]  # replaces the first bytes of a site in a single write, which CPUs see atomically

    @abstractmethod
    def site(self, memory: GuestMemory, registers: int) -> int:
        """The address of the breakpoint that was hit, from the saved struct pt_regs."""

    @abstractmethod
    def emulate(self, memory: GuestMemory, registers: int, site: int, code: bytes) -> None:
        """Emulates, in the saved struct pt_regs of the breakpoint at `site`, the instruction `code` there."""

    @abstractmethod
    def go_on_at(self, memory: GuestMemory, registers: int, address: int) -> None:
        """Changes the saved struct pt_regs so that the CPU continues at an address."""


CodeRange = tuple[str, int, int]  # a symbol, and the first byte and the end of a range relative to it


class GraphPath(NamedTuple):
    """The code that the guest executes, besides the site's call, for a call recorded by function_graph.

    The host takes the times of entry and return when the last block before them has been charged.
    """

    before_entry: Sequence[CodeRange]
    after_entry: Sequence[CodeRange]
    before_return: Sequence[CodeRange]
    after_return: Sequence[CodeRange]


class FtraceArch(NativeTracing):
    """An architecture's support for ftrace.

    To trace calls: cpu, cycle_clock, profiler, nop, call(), and the module of callbacks in emu.ftrace.native.arch.
    To trace events: key_nop, jump(), and the callback of trace_event_buffer_commit.
    To trace returns: return_offset, graph_path, and the callbacks of the labels by which calls return.
    To patch under running CPUs: protocols, breakpoint.
    To probe: Probing, and the callbacks for it.
    For direct calls of modules: direct_calls, and callbacks that obey CALLS_FIRST of `event_context`.
    To replace functions: keystone_mode(), targets_by_name, detour(), taken_over(), hinders_replacing().
    """

    profiler: ClassVar[str]  # the function called by compiled sites
    nop: ClassVar[bytes]  # the code of a site that nobody traces, as long as its call
    key_nop: ClassVar[bytes]  # a static key's branch while the key is off
    graph_path: ClassVar[GraphPath]  # the stubs' instructions that a call recorded by function_graph executes
    return_offset: ClassVar[int]  # bytes from a saved return address to the instruction at which the caller continues
    protocols: ClassVar[Sequence[str]]  # the suitable protocols of emu.ftrace.sites.patching, the default first
    breakpoint: ClassVar[Breakpoint | None]  # None if a site is one aligned word, which CPUs see at once
    direct_calls: ClassVar[bool]  # whether sites can call addresses given by modules
    targets_by_name: ClassVar[bool]  # whether keystone needs the targets of calls by name; otherwise, by number

    @abstractmethod
    def call(self, address: int, target: int) -> bytes:
        """The instruction that calls `target` from `address`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    def compiled(self, address: int, profiler: int) -> bytes:
        """What the compiler has left at a site: a call of the profiler."""
        return self.call(address, profiler)

    @abstractmethod
    def jump(self, address: int, target: int) -> bytes:
        """The jump from `address` to `target`, for a static key's branch while the key is on.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    def probing(self) -> Probing:
        """What can be probed: from the architecture's module in emu.ftrace.arch that ends with `_probing`."""
        probing: Probing = importlib.import_module(f"emu.ftrace.arch.{self.cpu.name}_probing").PROBING
        return probing

    @abstractmethod
    def keystone_mode(self) -> tuple[int, int]:
        """keystone's constants for it: architecture and mode."""

    # A function is replaced at its site: the tracer does not return there, but continues elsewhere, as if that had been called.

    @abstractmethod
    def detour(self, address: int, target: int) -> bytes:
        """The code at `address` that jumps to a function, `target`, with the arguments of the replaced function.

        Raises:
            OutOfReach: `target` is farther than an instruction's range.
        """

    @property
    @abstractmethod
    def taken_over(self) -> bytes:
        """The beginning of a function's new code, which gives it access to the replaced function's arguments."""

    @abstractmethod
    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        """Why a function cannot be replaced at its site, as the end of a sentence; None if it can.

        Args:
            code: the function as it was compiled.
            site: the offset of its call site, which is a nop.
        """

    @abstractmethod
    def keeps_arguments(self, code: bytes, site: int) -> bool:
        """Whether a function's arguments are unchanged when its site calls. Parameters: see `hinders_replacing`."""


def load(name: str) -> FtraceArch:
    """The architecture's support for ftrace, by a name that `emu.cpu.arch.load` knows."""
    arch: FtraceArch = importlib.import_module(f"emu.ftrace.arch.{name}").ARCH
    return arch
