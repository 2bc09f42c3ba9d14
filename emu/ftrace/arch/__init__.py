# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to dynamic ftrace."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from emu.cpu.arch import CpuArch
from emu.ftrace.arch.probing import Probing
from emu.ftrace.native.arch import (
    Callbacks,
    EventCallbacks,
    ProbeCallbacks,
    RethookCallbacks,
    StackCallbacks,
    TaskCallbacks,
    UprobeCallbacks,
)
from emu.ftrace.native.guest_layout import GuestLayout
from emu.kernel.memory import GuestMemory
from emu.native.pointers import in_byte_order

if TYPE_CHECKING:
    from emu.ftrace.native.hist import HistHandlers
    from emu.ftrace.native.hist_actions import ActionHandlers
    from emu.ftrace.native.probe_event import ProbeHandlers
    from emu.ftrace.native.trigger import TriggerHandlers

__all__ = ["Breakpoint", "FtraceArch", "OutOfReach", "ProbeRegisters", "load"]


class OutOfReach(ValueError):
    """A call site cannot reach the function it should call."""


class Breakpoint(ABC):
    """The instruction that traps a CPU at a site that is being changed. Needed where a change takes several writes."""

    code: ClassVar[bytes]  # replaces the first bytes of a site by one write, which no CPU sees half done

    @abstractmethod
    def site(self, memory: GuestMemory, registers: int) -> int:
        """The address of the breakpoint that was hit, from the saved struct pt_regs."""

    @abstractmethod
    def emulate(self, memory: GuestMemory, registers: int, site: int, code: bytes) -> None:
        """Changes the saved struct pt_regs of the breakpoint at `site` as the instruction `code` there would."""

    @abstractmethod
    def go_on_at(self, memory: GuestMemory, registers: int, address: int) -> None:
        """Changes the saved struct pt_regs so that the CPU goes on at an address."""


class ProbeRegisters(NamedTuple):
    """What probes see of a CPU: words in the host's byte order, each known by its index.

    They are the registers before the probed instruction. At a function's first instruction they are so even if its call site,
    which tells of the call, comes only after a few instructions.
    """

    names: Mapping[str, int]  # by the names that `%NAME` of a probe's argument has
    arguments: Sequence[int]  # of a function, at its first instruction: $arg1 and so on
    stack_arguments: int  # which word of the stack is the argument behind them
    return_value: int
    pc: int
    stack_pointer: int
    stack_bias: int = 0  # bytes from the stack pointer to the topmost word of the stack


class FtraceArch(ABC):
    """Call sites of one architecture.

    To trace calls: cpu, cycle_clock, profiler, nop, call(), and the module of callbacks in emu.ftrace.native.arch.
    To trace events: key_nop, jump(), and the callback of trace_event_buffer_commit.
    To trace returns: return_offset, and the callbacks of the labels by which calls return.
    To patch under running CPUs: protocols, breakpoint.
    To probe: probe_registers, Probing, and the callbacks for it.
    To replace functions: keystone_mode(), targets_by_name, detour(), taken_over(), hinders_replacing().
    """

    cpu: ClassVar[CpuArch]
    cycle_clock: ClassVar[str]  # the trace clock that counts CPU cycles, as trace_clock names it
    profiler: ClassVar[str]  # the function that compiled sites call
    nop: ClassVar[bytes]
    key_nop: ClassVar[bytes]  # what a static key's branch holds while the key is off
    return_offset: ClassVar[int]  # bytes from a saved return address to the instruction at which the caller goes on
    protocols: ClassVar[Sequence[str]]  # the protocols of emu.ftrace.patching that fit, the default first
    breakpoint: ClassVar[Breakpoint | None]
    probe_registers: ClassVar[ProbeRegisters]
    targets_by_name: ClassVar[bool]  # whether keystone must be told the targets of calls by name; if not, by number

    @abstractmethod
    def call(self, address: int, target: int) -> bytes:
        """The instruction that calls `target` from `address`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    @abstractmethod
    def jump(self, address: int, target: int) -> bytes:
        """The instruction that a static key's branch holds while the key is on: it goes from `address` to `target`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    def probing(self) -> Probing:
        """What can be probed, from the architecture's module of emu.ftrace.arch that ends with `_probing`."""
        return _probing(self)

    @abstractmethod
    def keystone_mode(self) -> tuple[int, int]:
        """What keystone calls it: architecture and mode."""

    # A function is replaced at its site: the tracer does not return there, but goes on elsewhere, as if that had been called.

    @abstractmethod
    def detour(self, address: int, target: int) -> bytes:
        """The code at `address` that goes on at a function, `target`, with what the replaced one was called with.

        Raises:
            OutOfReach: `target` is farther than an instruction's range.
        """

    @property
    @abstractmethod
    def taken_over(self) -> bytes:
        """What a function's new code begins with, so that it finds what the replaced function was called with."""

    @abstractmethod
    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        """Why a function cannot be replaced at its site, as the end of a sentence; None: it can.

        Args:
            code: the function as it was compiled.
            site: the offset of its call site, which is a nop.
        """

    @abstractmethod
    def keeps_arguments(self, code: bytes, site: int) -> bool:
        """Whether a function's arguments are where its caller has put them when its site calls. For both: `hinders_replacing`."""

    def callbacks(self, guest: GuestLayout, general: bool) -> Callbacks:
        """The native functions of labels in the kernel's .ftrace.text, compiled for the layout of its structures."""
        return _callbacks(self, guest, general)

    def task_callbacks(self, guest: GuestLayout) -> TaskCallbacks:
        """The same for what must be known of tasks."""
        return _task_callbacks(self, guest)

    def event_callbacks(self, guest: GuestLayout) -> EventCallbacks:
        """The same for the guest's events."""
        return _event_callbacks(self, guest)

    def string_test(self, guest: GuestLayout) -> int:
        """The address of what tests strings for filters."""
        return _string_test(self, guest)

    def event_handler(self) -> int:
        """The address of what handles events of which more is wanted than that they are recorded."""
        return _event_handler()

    def put_made_event(self, guest: GuestLayout) -> int:
        """The address of what gives events that native code makes to the arrays."""
        return _put_made_event(self, guest)

    def redirect(self) -> int:
        """The address of what has a CPU go on elsewhere than at a function that is replaced."""
        return _redirect()

    def probe_handlers(self, guest: GuestLayout) -> ProbeHandlers:
        """The addresses of what makes the events of probes."""
        return _probe_handlers(self, guest)

    def trigger_handlers(self) -> TriggerHandlers:
        """The addresses of what triggers and commands do."""
        return _trigger_handlers()

    def hist_action_handlers(self) -> ActionHandlers:
        """The addresses of what actions of histograms do."""
        return _hist_action_handlers()

    def rethook_callbacks(self, guest: GuestLayout) -> RethookCallbacks:
        """The same for return probes."""
        return _rethook_callbacks(self, guest)

    def hist_handlers(self, guest: GuestLayout) -> HistHandlers:
        """The addresses of what events do to histograms."""
        return _hist_handlers(self, guest)

    def stack_callbacks(self, guest: GuestLayout) -> StackCallbacks:
        """The same for stacks of calls."""
        return _stack_callbacks(self, guest)

    def uprobe_callbacks(self, guest: GuestLayout) -> UprobeCallbacks:
        """The same for probes in programs."""
        return _uprobe_callbacks(self, guest)

    def probe_callbacks(self, guest: GuestLayout) -> ProbeCallbacks:
        """The same for kprobes."""
        return _probe_callbacks(self, guest)


def _native(arch: FtraceArch) -> Any:
    return importlib.import_module(f"emu.ftrace.native.arch.{arch.cpu.name}")


@functools.cache
def _callbacks(arch: FtraceArch, guest: GuestLayout, general: bool) -> Callbacks:
    compiled: Callbacks = _native(arch).build(guest, arch.cpu.native().irqs_off, general)
    return compiled


@functools.cache
def _task_callbacks(arch: FtraceArch, guest: GuestLayout) -> TaskCallbacks:
    compiled: TaskCallbacks = _native(arch).build_for_tasks(guest)
    return compiled


@functools.cache
def _event_callbacks(arch: FtraceArch, guest: GuestLayout) -> EventCallbacks:
    compiled: EventCallbacks = _native(arch).build_for_events(guest, arch.cpu.native().irqs_off)
    return compiled


@functools.cache
def _string_test(arch: FtraceArch, guest: GuestLayout) -> int:
    address: int = _native(arch).build_for_filters(guest)
    return address


@functools.cache
def _event_handler() -> int:
    from emu.ftrace.native import event_handler

    address: int = event_handler.build().address
    return address


@functools.cache
def _put_made_event(arch: FtraceArch, guest: GuestLayout) -> int:
    from emu.ftrace.native import made_event

    address: int = made_event.build(in_byte_order(arch.cpu.byte_order), guest, arch.cpu.native().irqs_off).address
    return address


@functools.cache
def _redirect() -> int:
    from emu.ftrace.native import live_patch

    address: int = live_patch.build().address
    return address


@functools.cache
def _probe_handlers(arch: FtraceArch, guest: GuestLayout) -> ProbeHandlers:
    compiled: ProbeHandlers = _native(arch).build_for_fetching(guest)
    return compiled


@functools.cache
def _trigger_handlers() -> TriggerHandlers:
    from emu.ftrace.native import trigger

    return trigger.build()


@functools.cache
def _rethook_callbacks(arch: FtraceArch, guest: GuestLayout) -> RethookCallbacks:
    compiled: RethookCallbacks = _native(arch).build_for_rethooks(guest)
    return compiled


@functools.cache
def _hist_action_handlers() -> ActionHandlers:
    from emu.ftrace.native import hist_actions

    return hist_actions.build()


@functools.cache
def _hist_handlers(arch: FtraceArch, guest: GuestLayout) -> HistHandlers:
    from emu.ftrace.native import hist

    return hist.build(in_byte_order(arch.cpu.byte_order), guest)


@functools.cache
def _stack_callbacks(arch: FtraceArch, guest: GuestLayout) -> StackCallbacks:
    compiled: StackCallbacks = _native(arch).build_for_stacks(guest, arch.cpu.native().irqs_off)
    return compiled


@functools.cache
def _probing(arch: FtraceArch) -> Probing:
    module: Any = importlib.import_module(f"emu.ftrace.arch.{arch.cpu.name}_probing")
    probing: Probing = module.PROBING
    return probing


@functools.cache
def _uprobe_callbacks(arch: FtraceArch, guest: GuestLayout) -> UprobeCallbacks:
    compiled: UprobeCallbacks = _native(arch).build_for_uprobes(guest)
    return compiled


@functools.cache
def _probe_callbacks(arch: FtraceArch, guest: GuestLayout) -> ProbeCallbacks:
    compiled: ProbeCallbacks = _native(arch).build_for_probes(guest)
    return compiled


def load(name: str) -> FtraceArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.ftrace.arch.{name}")
    arch: FtraceArch = module.ARCH
    return arch
