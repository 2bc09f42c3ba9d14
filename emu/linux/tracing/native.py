# SPDX-License-Identifier: GPL-2.0-only
"""The native code that traces an x86-64 Linux from outside, compiled when it is first used."""

from __future__ import annotations

from typing import ClassVar

from emu.cpu.arch import CpuArch
from emu.cpu.pc import PC_ARCH
from emu.ftrace.arch.native_tracing import NativeTracing, once
from emu.ftrace.native import context
from emu.ftrace.native.arch import OutsideCallbacks, OutsideTaskCallbacks, WakeupCalls, WatchedSections, x86_64_outside
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import Compiled
from emu.native.records import u64

__all__ = ["ARCH", "OutsideTracing"]


class OutsideTracing(NativeTracing):
    """What native code does for tracing an x86-64 Linux."""

    cpu: ClassVar[CpuArch] = PC_ARCH
    cycle_clock: ClassVar[str] = "x86-tsc"

    @once
    def outside_callbacks(self, guest: Guest, general: bool) -> OutsideCallbacks:
        """The native functions for calls."""
        return x86_64_outside.build(guest, self.cpu.native().irqs_off, general)

    @once
    def outside_tasks(self, guest: Guest) -> OutsideTaskCallbacks:
        """The native functions that follow tasks."""
        return x86_64_outside.build_tasks(guest)

    @once
    def watched_sections(self, guest: Guest) -> WatchedSections:
        """The native functions for critical sections."""
        from emu.ftrace.native import watched_sections

        about = context.build(guest)
        return watched_sections.build(guest, about, self.cpu.native().irqs_off, self._unwind(guest, about))

    @once
    def wakeup_calls(self, guest: Guest) -> WakeupCalls:
        """The native functions that follow wakeups."""
        from emu.ftrace.native import wakeup_calls

        about = context.build(guest)
        unwind, arguments = self._unwind(guest, about), self._native().arguments
        return wakeup_calls.build(guest, about, self.cpu.native().irqs_off, unwind, arguments)

    @once
    def translate(self) -> Compiled[[TraceArray, u64], u64]:
        """The native function that finds what the kernel has mapped besides its image and all RAM."""
        return x86_64_outside.build_translate()

    def _unwind(self, guest: Guest, about: Context, with_places: bool = False) -> Unwind:
        return x86_64_outside.build_unwind(with_places)


ARCH = OutsideTracing()
