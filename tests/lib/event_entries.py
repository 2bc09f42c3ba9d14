# SPDX-License-Identifier: GPL-2.0-only
"""The recorded events, field by field, decoded as their `format` files describe. Each must be complete."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.event.call import EventCall, Field

__all__ = ["Entry", "entries"]


@dataclass(frozen=True)
class Entry:
    """An entry. A character array is decoded to the bytes before its NUL; data of variable length to all of its bytes."""

    time: int
    cpu: int
    call: EventCall
    pid: int
    flags: int
    preempt_count: int
    fields: dict[str, int | bytes]
    data: bytes  # the whole entry, as it is in the ring buffer

    @property
    def name(self) -> str:
        return self.call.name


def entries(array: TraceArray) -> list[list[Entry]]:
    """The unread entries of each CPU.

    Raises:
        AssertionError: an entry was lost, or does not match its event's format.
    """
    calls = array.recorder.globals.events
    found = []
    for ring in array.recorder.rings:
        assert ring.overrun == ring.dropped_events == 0
        events = ring.unread()
        memory = events.words.view("u1").tobytes()
        rows = zip(events.time.tolist(), events.offset.tolist(), events.size.tolist(), strict=True)
        found.append([_entry(calls[_number(memory, at, 2)], time, ring.cpu, memory[at : at + size]) for time, at, size in rows])
        assert len(found[-1]) == ring.entries
    return found


def _entry(call: EventCall, time: int, cpu: int, data: bytes) -> Entry:
    fields: dict[str, int | bytes] = {}
    end = call.size
    for field in call.fields:
        value = _value(field, data)
        if field.is_dynamic:
            word = _number(data, field.offset, 4)
            start, size = word & 0xFFFF, word >> 16
            assert start == end and end + size <= len(data), f"{call.path}: the data of {field.name} is elsewhere"
            value, end = data[start : start + size], end + size
        fields[field.name] = value
    assert len(data) == -(-end // 4) * 4, f"{call.path}: an entry of {len(data)} bytes, not {end}"
    return Entry(time, cpu, call, _number(data, 4, 4), data[2], data[3], fields, data)


def _value(field: Field, data: bytes) -> int | bytes:
    if field.element in (0, field.size):
        return _number(data, field.offset, field.size, signed=field.signed)
    value = data[field.offset : field.offset + field.size]
    return value.split(b"\0")[0] if field.type.startswith("char") else value


def _number(data: bytes, offset: int, size: int, *, signed: bool = False) -> int:
    return int.from_bytes(data[offset : offset + size], sys.byteorder, signed=signed)
