# SPDX-License-Identifier: GPL-2.0-only
"""dynamic_events, kprobe_events and similar files: the defined events. Writing a line defines or removes events."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from functools import partial

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.node import File
from emu.ftrace.tracefs.text_file import TextFile, TextHandle
from emu.kernel.files.node import Handle, Node, OpenFlags

__all__ = ["DynamicEventsFile", "dynamic_events_files"]

_LONGEST_LINE = 4094  # bytes, as in Linux
_PROFILES = {"kprobe_events": "kprobe_profile", "uprobe_events": "uprobe_profile"}


def dynamic_events_files(tr: TraceArray, kinds: Sequence[str]) -> dict[str, Node]:
    """The files of events that are defined at run time: dynamic_events, and those with these names for single kinds."""
    events = tr.globals.dynamic_events

    def file(kind: Callable[[], DynamicEventKind | None]) -> Node:
        return DynamicEventsFile(events, kind, tr.ftrace.update_sites)

    def profile(name: str) -> Node:
        return TextFile(lambda: events.kind(name).profile(events))

    return {
        "dynamic_events": file(lambda: None),
        **{name: file(partial(events.kind, name)) for name in kinds},
        **{_PROFILES[name]: profile(name) for name in kinds if name in _PROFILES},
    }


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
