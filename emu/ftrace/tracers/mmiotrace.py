# SPDX-License-Identifier: GPL-2.0-only
"""The mmiotrace tracer: drivers' accesses to device registers. The guest records them (firmware/include/linux/mmiotrace.h)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

from emu.ftrace.guest.own_globals import OwnGlobals
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
        """Traces mappings that are made from now on."""
        array.lost_told = 0
        OwnGlobals.of(array).work.ask(WorkKind.MMIOTRACE, 1)

    def stop(self, array: TracedArray) -> None:
        """Stops tracing the traced mappings."""
        OwnGlobals.of(array).work.ask(WorkKind.MMIOTRACE, 0)

    def recording(self, array: TracedArray, on: bool) -> None:
        if on:  # as in Linux, a new trace begins
            array.clear()
            array.lost_told = 0

    def pipe_begins_with(self) -> str:
        """The head of the file. Linux would list PCI devices after it, but the board has none."""
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
