# SPDX-License-Identifier: GPL-2.0-only
"""Converts single entries to the host's byte order, for compiled print fmts."""

from __future__ import annotations

from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field

__all__ = ["host_order"]


def host_order(call: EventCall, entry: bytes) -> bytes:
    """Byte-swaps an entry of a machine with the other byte order, number by number."""
    found = bytearray(entry.ljust(call.size, b"\0"))
    for field in (*COMMON_FIELDS, *call.fields):
        if field.is_dynamic:
            _swap(found, field.offset, field.size, field.size)
            word = int.from_bytes(found[field.offset : field.offset + 4], "little")
            _swap(found, field.data_base + (word & 0xFFFF), word >> 16, field.number_size)
        else:
            _swap(found, field.offset, field.size or len(found), _number_size(field))
    return bytes(found)


def _number_size(field: Field) -> int:
    return field.number_size if field.element or not field.type.endswith("]") else 1


def _swap(entry: bytearray, start: int, length: int, size: int) -> None:
    if size in (2, 4, 8):
        for at in range(start, min(start + length, len(entry)) - size + 1, size):
            entry[at : at + size] = entry[at : at + size][::-1]
