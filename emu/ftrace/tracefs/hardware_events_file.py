# SPDX-License-Identifier: GPL-2.0-only
"""hardware_events: the sampled counters of the timing model, and their periods."""

from __future__ import annotations

from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextHandle
from emu.ftrace.tracers.hardware_events import HardwareEvents
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["HardwareEventsFile"]


class HardwareEventsFile(File):
    """The file. Opening it with truncation stops all sampling. A wrong line ends a write; earlier lines take effect."""

    def __init__(self, events: HardwareEvents) -> None:
        super().__init__(0o644)
        self._events = events

    def open(self, flags: OpenFlags) -> Handle:
        if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
            self._events.clear()
        return TextHandle(flags, lambda: self._events.text, self._obey)

    def _obey(self, text: str) -> None:
        for line in text.splitlines():
            if command := line.partition("#")[0].strip():
                self._events.obey(command)
