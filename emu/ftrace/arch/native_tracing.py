# SPDX-License-Identifier: GPL-2.0-only
"""The native code of tracing, compiled when it is first used, for the layout of a guest's structures."""

from __future__ import annotations

import functools
import importlib
import inspect
from abc import ABC
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypeVar

from emu.cpu.arch import CpuArch
from emu.ftrace.native import context
from emu.ftrace.native.arch import (
    Callbacks,
    EventCallbacks,
    ProbeCallbacks,
    RethookCallbacks,
    SectionCallbacks,
    StackCallbacks,
    TaskCallbacks,
    UprobeCallbacks,
)
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.native.context import Context
    from emu.ftrace.native.filter_program import StringTest
    from emu.ftrace.native.hist import HistHandlers
    from emu.ftrace.native.probe_event import ProbeHandlers
    from emu.ftrace.native.stack_tracer_record import StackTracer
    from emu.ftrace.native.trace_records import Stages
    from emu.ftrace.native.tracing_snapshot import SnapshotHandlers
    from emu.ftrace.native.unwind import Unwind
    from emu.ftrace.native.user_memory import UserAddress
    from emu.ftrace.native.wakeup_events import WakeupHandlers

__all__ = ["NativeTracing", "once"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def once(method: Callable[_P, _T]) -> Callable[_P, _T]:
    """Makes a method do its work once for each set of arguments, and return the same result afterwards. There is one object per
    architecture.
    """
    made: dict[tuple[object, ...], _T] = {}
    signature = inspect.signature(method)

    @functools.wraps(method)
    def once(*positional: _P.args, **named: _P.kwargs) -> _T:
        arguments = signature.bind(*positional, **named).args  # normalised, however they are passed
        if arguments not in made:
            made[arguments] = method(*positional, **named)
        return made[arguments]

    return once


class NativeTracing(ABC):
    """What native code does for tracing on a guest."""

    cpu: ClassVar[CpuArch]  # the architecture's hardware
    fault_texts: ClassVar[bool] = True  # whether a text is recorded for a string that a probe cannot read: in Linux 6.3 and 6.4
    cycle_clock: ClassVar[str]  # the trace clock that counts CPU cycles, by its name in trace_clock

    @once
    def callbacks(self, guest: Guest, general: bool) -> Callbacks:
        """The native functions of labels in the kernel's .ftrace.text."""
        made: Callbacks = self._native().build(guest, self.cpu.native().irqs_off, general)
        return made

    @once
    def task_callbacks(self, guest: Guest) -> TaskCallbacks:
        """The native functions for changes of tasks."""
        from emu.ftrace.native import task_callbacks

        return task_callbacks.build(guest, self._native().arguments)

    @once
    def event_callbacks(self, guest: Guest) -> EventCallbacks:
        """The native functions for the guest's events."""
        from emu.ftrace.native import event_callbacks

        return event_callbacks.build(guest, self._native().arguments, self.cpu.native().irqs_off)

    @once
    def stack_callbacks(self, guest: Guest) -> StackCallbacks:
        """The native functions for stack traces."""
        from emu.ftrace.native import stack_callbacks

        about = context.build(guest)
        unwind, unwind_user = self._unwind(guest, about), self._native("_user").build(guest, about)
        return stack_callbacks.build(guest, about, self.cpu.native().irqs_off, unwind, unwind_user)

    @once
    def section_callbacks(self, guest: Guest) -> SectionCallbacks:
        """The native functions for the tracers of critical sections."""
        from emu.ftrace.native import section_hooks

        about = context.build(guest)
        unwind, arch = self._unwind(guest, about), self._native()
        return section_hooks.build(guest, about, self.cpu.native().irqs_off, unwind, arch.callers, arch.called_from)

    @once
    def stack_tracer(self, guest: Guest) -> Compiled[[Cpu, StackTracer], None]:
        """The native function that checks the depth of a stack."""
        from emu.ftrace.native import stack_tracer

        about = context.build(guest)
        unwind = self._unwind(guest, about, with_places=True)
        return stack_tracer.build(guest, about, self._native("_unwind").stack_pointer, unwind)

    @once
    def wakeup_handlers(self, guest: Guest) -> WakeupHandlers:
        """The native functions that follow wakeups."""
        from emu.ftrace.native import wakeup_events

        about = context.build(guest)
        return wakeup_events.build(guest, about, self._unwind(guest, about))

    @once
    def rethook_callbacks(self, guest: Guest) -> RethookCallbacks:
        """The native functions for return probes."""
        made: RethookCallbacks = self._native("_rethook").build(guest)
        return made

    @once
    def probe_callbacks(self, guest: Guest) -> ProbeCallbacks:
        """The native functions for kprobes."""
        made: ProbeCallbacks = self._native("_probe").build(guest)
        return made

    @once
    def uprobe_callbacks(self, guest: Guest) -> UprobeCallbacks:
        """The native functions for uprobes."""
        made: UprobeCallbacks = self._native("_uprobe").build(guest)
        return made

    @once
    def string_test(self, guest: Guest) -> StringTest:
        """The native function that tests strings for filters."""
        from emu.ftrace.native import filter_program

        return filter_program.build(guest, context.build(guest), self._user_address(guest))

    @once
    def probe_handlers(self, guest: Guest) -> ProbeHandlers:
        """The native functions that make the events of probes."""
        from emu.ftrace.native import probe_event

        return probe_event.build(guest, context.build(guest), self._user_address(guest))

    @once
    def hist_handlers(self, guest: Guest) -> HistHandlers:
        """The native functions for histograms."""
        from emu.ftrace.native import hist

        return hist.build(guest)

    @once
    def put_made_event(self, guest: Guest) -> Compiled[[Cpu, Stages], None]:
        """The native function that passes events made by native code to the arrays."""
        from emu.ftrace.native import made_event

        return made_event.build(guest, self.cpu.native().irqs_off)

    @once
    def snapshot_handlers(self, guest: Guest) -> SnapshotHandlers:
        """The native functions that take snapshots while the guest runs."""
        from emu.ftrace.native import tracing_snapshot

        return tracing_snapshot.build(guest, context.build(guest))

    def _native(self, part: str = "") -> ModuleType:
        """A module of emu.ftrace.native.arch."""
        return importlib.import_module(f"emu.ftrace.native.arch.{self.cpu.name}{part}")

    def _user_address(self, guest: Guest) -> UserAddress:
        """See `user_memory.build`."""
        from emu.ftrace.native import user_memory

        return user_memory.build(guest, context.build(guest), self._native("_user").PAGE_TABLES)

    def _unwind(self, guest: Guest, about: Context, with_places: bool = False) -> Unwind:
        """The unwinder of the kernel's stacks: see `native.unwind`."""
        unwind: Unwind = self._native("_unwind").build(guest, about, with_places)
        return unwind
