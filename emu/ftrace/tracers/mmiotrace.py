# SPDX-License-Identifier: GPL-2.0-only
"""The mmiotrace tracer: what drivers do with devices' registers. The guest records it (firmware/include/linux/mmiotrace.h)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

from emu.ftrace.tracers.tracer import TracedArray, Tracer
from emu.kernel.kernel_log import Level
from emu.kernel.work import WorkKind

__all__ = ["MMIOTRACE"]

_KEY = "mmiotrace_key"


class _Mmiotrace(Tracer):
    only_with: ClassVar[str | None] = _KEY

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return (_KEY,)

    def start(self, array: TracedArray) -> None:
        """Mappings that are made from now on are traced."""
        array.lost_told = 0
        array.globals.work.ask(WorkKind.MMIOTRACE, 1)

    def stop(self, array: TracedArray) -> None:
        """Those that are traced no longer are."""
        array.globals.work.ask(WorkKind.MMIOTRACE, 0)

    def recording(self, array: TracedArray, on: bool) -> None:
        if on:  # as in Linux, a new trace begins
            array.clear()
            array.lost_told = 0

    def pipe_begins_with(self) -> str:
        """The board has no PCI devices, which would follow."""
        return "VERSION 20070824\n"

    def pipe_tells(self, array: TracedArray) -> str:
        told, array.lost_told = array.lost_told, array.lost_events
        lost = array.lost_told - told
        if lost <= 0:
            return ""
        if not told:
            array.globals.log.write("mmiotrace has lost events", Level.WARNING)
        return f"MARK 0.000000 Lost {lost} events.\n"


MMIOTRACE = _Mmiotrace("mmiotrace")
