# SPDX-License-Identifier: GPL-2.0-only
"""The files of one event, and the files `enable` of a system's events and of all events."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Mapping
from functools import partial

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.entries import EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind, format_text
from emu.ftrace.event.enable import set_state, state, state_of
from emu.ftrace.event.filters import EventFilters
from emu.ftrace.event.inject import Injected
from emu.ftrace.tracefs.node import File, HandleFile
from emu.ftrace.tracefs.text_file import TextFile, TextHandle
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["enable_file", "event_files", "hist_debug_file", "system_filter_file"]

_LONGEST_INJECTION = _LONGEST_FILTER = 4095  # bytes of one write
_SPACE = " \t\n\v\f\r"


def event_files(
    array: TraceArray, filters: EventFilters, catalogue: Mapping[int, EventCall], event: EventCall
) -> dict[str, File]:
    """The files of an event. A file that is still open when the event's module is unloaded returns ENODEV from then on."""

    call = partial(_still_there, catalogue, event)
    files: dict[str, File] = {
        "format": TextFile(lambda: format_text(call())),
        "hist": TextFile(lambda: partial(array.triggers.hists.text, call())),
        "id": TextFile(lambda: f"{call().number}\n"),
        "inject": HandleFile(0o200, lambda flags: InjectHandle(flags, array, call)),
    }
    if event.kind is not EventKind.FTRACE or event.number == EventType.PRINT:
        files["trigger"] = HandleFile(0o640, lambda flags: _open_trigger(flags, array, call))
    if event.kind is not EventKind.FTRACE:
        files["enable"] = enable_file(array, lambda: [call()], lambda: state_of(array.ops.events, call()))
    if filters.apply_to(event):
        files["filter"] = _filter_file(lambda: filters.text(call()), lambda text: filters.set(call(), text))
    return files


def hist_debug_file(array: TraceArray, catalogue: Mapping[int, EventCall], event: EventCall) -> File:
    """The file hist_debug: the internals of the event's hist triggers."""
    return TextFile(lambda: partial(array.triggers.hists.debug_text, _still_there(catalogue, event)))


def _still_there(catalogue: Mapping[int, EventCall], event: EventCall) -> EventCall:
    if catalogue.get(event.number) is not event:
        raise TraceError(errno.ENODEV, f"event {event.path} is gone")
    return event


def system_filter_file(filters: EventFilters, system: str, calls: Callable[[], Collection[EventCall]]) -> TextFile:
    """The file `filter` of a system: a write sets the filter of those events that have the fields."""
    return _filter_file(lambda: filters.system_text(system), lambda text: filters.set_system(system, calls(), text))


def _filter_file(show: Callable[[], str], store: Callable[[str], None]) -> TextFile:
    def store_text(text: str) -> None:
        if len(text.encode(errors="surrogateescape")) > _LONGEST_FILTER:
            raise TraceError(errno.EINVAL, f"a filter has at most {_LONGEST_FILTER} bytes")
        store(text.partition("\0")[0].rstrip(_SPACE))

    return TextFile(lambda: f"{show()}\n", store_text)


def enable_file(
    array: TraceArray, calls: Callable[[], Collection[EventCall]], shown: Callable[[], str] | None = None
) -> TextFile:
    """The file `enable` of some events. `shown`: its text, if that is not the common state of all events."""
    show = shown or (lambda: state(array.ops.events, calls()))
    return TextFile(lambda: f"{show()}\n", lambda text: set_state(array, calls(), text))


def _open_trigger(flags: OpenFlags, array: TraceArray, call: Callable[[], EventCall]) -> Handle:
    """Opens `trigger`. As in Linux, truncation removes the event's hist triggers, but no others."""
    if OpenFlags.WRITE in flags and OpenFlags.TRUNCATE in flags:
        array.remove_hists(call())
    return TextHandle(flags, lambda: array.triggers.text(call()), lambda text: array.edit_triggers(call(), text))


class InjectHandle(Handle):
    """An open `inject`. Each write records an entry."""

    def __init__(self, flags: OpenFlags, array: TraceArray, call: Callable[[], EventCall]) -> None:
        super().__init__(flags)
        self._array = array
        self._call = call

    def read(self, offset: int, size: int) -> bytes:
        self._require(OpenFlags.READ)
        raise TraceError(errno.EPERM, "this file cannot be read")

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if len(data) > _LONGEST_INJECTION:
            raise TraceError(errno.EINVAL, f"an entry is described by at most {_LONGEST_INJECTION} bytes")
        injected = Injected(self._call(), data)
        self._array.recorder.host_events.write_injected(self._call().number, injected.common, injected.data)
        return len(data)
