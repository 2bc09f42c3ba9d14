# SPDX-License-Identifier: GPL-2.0-only
"""hardware_events: which counters of the timing model are sampled, and how often."""

from __future__ import annotations

from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextHandle
from emu.ftrace.tracers.hardware_events import HardwareEvents
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["HardwareEventsFile"]


class HardwareEventsFile(File):
    """Opening it with truncation ends all sampling. A wrong line ends a write; the lines before it are obeyed."""

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
