# SPDX-License-Identifier: GPL-2.0-only
"""dynamic_events, kprobe_events and similar files: the defined events. Writing a line defines or removes events."""

from __future__ import annotations

import errno
from collections.abc import Callable

from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextHandle
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["DynamicEventsFile"]

_LONGEST_LINE = 4094  # bytes, as in Linux


class DynamicEventsFile(File):
    """The file. Opening it with truncation removes all events that it shows. A wrong line ends a write; earlier lines take
    effect.

    Args:
        events: all defined events.
        kind: returns the kind of events in the file; None: all kinds.
        changed: called after each change.
    """

    def __init__(self, events: DynamicEvents, kind: Callable[[], DynamicEventKind | None], changed: Callable[[], None]) -> None:
        super().__init__(0o640)
        self._events = events
        self._kind = kind
        self._changed = changed

    def open(self, flags: OpenFlags) -> Handle:
        if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
            self._events.clear(self._kind())
            self._changed()
        return TextHandle(flags, lambda: self._events.text(self._kind()), self._obey)

    def _obey(self, text: str) -> None:
        lines = text.removesuffix("\n").split("\n")
        try:
            for line in lines:
                if len(line.encode(errors="surrogateescape")) > _LONGEST_LINE:
                    raise TraceError(errno.EINVAL, f"a line has at most {_LONGEST_LINE} bytes")
                if command := line.partition("#")[0].strip():
                    self._obey_line(command)
        finally:
            self._changed()

    def _obey_line(self, command: str) -> None:
        kind = self._kind()
        if kind is None:
            self._events.obey(command)
        else:
            kind.obey(command, self._events)
