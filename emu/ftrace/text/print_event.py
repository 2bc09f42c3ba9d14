# SPDX-License-Identifier: GPL-2.0-only
"""The text of the guest's events: `sched_switch: prev_comm=sh ...`, `sys_close(fd: b)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from emu.ftrace.event.call import EventCall, EventKind, Field
from emu.ftrace.event.print_fmt import Guest, PrintFmtError, compile_print_fmt
from emu.ftrace.event.print_fmt_calls import dynamic_data
from emu.ftrace.text.columns import Column, SymbolNames
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.syscall import enter_text, exit_text
from emu.ftrace.text.view import TraceView

__all__ = ["event_text"]


_PROBES = {EventKind.KPROBE, EventKind.KRETPROBE, EventKind.UPROBE, EventKind.URETPROBE, EventKind.EPROBE}


class _Formatter(Protocol):
    def __call__(self, entry: bytes, guest: Guest) -> str: ...


# Each is made when its event is first printed.
_formatters: WeakKeyDictionary[EventCall, _Formatter] = WeakKeyDictionary()


def event_text(view: TraceView, rows: Rows) -> Column:
    """The text of events of one type. Entries with the same fields have the same text, which is made once."""
    call = view.calls[int(rows.entry["type"][0])]
    entries = rows.bodies()
    texts = dict.fromkeys(entries, "")
    line = _line_of(view, call)
    for entry in texts:
        texts[entry] = line(entry.ljust(call.size, b"\0"))
    column = np.empty(len(rows), np.object_)
    column[:] = [texts[entry] for entry in entries]
    return column


def _line_of(view: TraceView, call: EventCall) -> Callable[[bytes], str]:
    """Returns a function that makes the line of an entry."""
    if call.kind is EventKind.SYSCALL_ENTER:
        return enter_text(call, with_types=view.option("verbose"))
    if call.kind is EventKind.SYSCALL_EXIT:
        return exit_text(call)
    if call.kind is EventKind.SYNTHETIC:
        from emu.ftrace.text.synthetic import synthetic_text  # imported late: few traces have such events

        return synthetic_text(view, call, _ViewedGuest(view))
    if call.kind in _PROBES:
        from emu.ftrace.text.probe_event import probe_text

        return probe_text(view, call)
    formatter = _formatters.get(call)
    if formatter is None:
        formatter = _formatters[call] = _formatter(view, call)
    return partial(formatter, guest=_ViewedGuest(view))


def _formatter(view: TraceView, call: EventCall) -> _Formatter:
    """The data that is made once per event. It must not refer to the event, or neither would ever be freed."""
    name, fields = call.name, call.fields
    try:
        text = compile_print_fmt(call, view.kernel_values, view.kernel_constants, view.words.long_size)
    except PrintFmtError as error:
        view.warn(f"{call.path} is printed in hexadecimal digits, for its print fmt cannot be used: {error}")
        return lambda entry, guest: f"[{name}:{''.join(f' {_hexadecimal(field, entry)}' for field in fields)}]\n"
    return lambda entry, guest: f"{name}: {text(entry, guest)}\n"


def _hexadecimal(field: Field, entry: bytes) -> str:
    """`pid=0x39 comm=73 68 00`: numbers as numbers, other fields byte by byte."""
    data = np.frombuffer(entry, np.uint8)[field.offset : field.offset + field.size]
    if field.is_dynamic:
        return f"{field.name}={dynamic_data(entry, int(data.view(np.uint32)[0]), field.data_base).hex(' ')}"
    if field.type.endswith("]") or field.size not in (1, 2, 4, 8):
        return f"{field.name}={data.tobytes().hex(' ')}"
    return f"{field.name}={int(data.view(f'u{field.size}')[0]):#x}"


class _ViewedGuest:
    """The guest's data that the text of an entry needs besides the entry."""

    def __init__(self, view: TraceView) -> None:
        self.values = view.kernel_values
        self._view = view
        self._names = {offset: SymbolNames(view, offset=offset) for offset in (False, True)}
        self._hides = view.option("hash-ptr")
        self._errors = view.words.highest + 1 - _ERRORS
        self.string = cache(self._string)
        self.symbol = cache(self._symbol)

    def _symbol(self, address: int, *, offset: bool) -> str:
        return self._names[offset].of(np.array([address], np.uint64))[0] if address else "0x0"

    def _string(self, address: int) -> str:
        if not address:
            return "(null)"
        found = self._view.string_at(address)
        return f"({address:#x})[UNSAFE-MEMORY]" if found is None else found

    def pointer(self, address: int) -> str:
        """With the option hash-ptr, a number that is equal for equal addresses. Error values (ERR_PTR) are not hashed."""
        if self._hides and 0 < address < self._errors:
            address = self._view.hash_pointer(address)
        return self._view.words.address_digits(address)


_ERRORS = 4095  # MAX_ERRNO: the highest values are errors, not addresses
