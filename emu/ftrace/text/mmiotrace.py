# SPDX-License-Identifier: GPL-2.0-only
"""The lines of mmiotrace, a format for programs: `R 4 1.234567 1 0xf000000400 0x3007 0x0 0`."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

import numpy as np

from emu.ftrace.buffers.entries import MMIO_MAP, MMIO_RW, EventType
from emu.ftrace.text.columns import Column, in_microseconds
from emu.ftrace.text.marker import print_message
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["mmiotrace_columns"]

_PID = 0  # Linux also prints 0


class _Opcode(enum.IntEnum):
    """firmware/include/linux/mmiotrace.h"""

    READ = 1
    WRITE = 2
    PROBE = 3
    UNPROBE = 4
    UNKNOWN_OP = 5


def mmiotrace_columns(view: TraceView, rows: Rows) -> list[Column]:
    """The accesses, the mappings, and markers. Other events have no lines."""
    column = np.full(len(rows), "", np.object_)
    for kind, lines in _LINES.items():
        places = np.flatnonzero(rows.entry["type"] == kind)
        if len(places):
            column[places] = lines(view, rows.take(places))
    return [column]


def _times(rows: Rows) -> list[str]:
    return [f"{time // 1_000_000}.{time % 1_000_000:06}" for time in in_microseconds(rows.time).tolist()]


def _access_lines(view: TraceView, rows: Rows) -> Column:
    return np.array([_access(*row) for row in zip(_times(rows), rows.entries(MMIO_RW).tolist(), strict=True)], np.object_)


def _access(time: str, entry: tuple[int, ...]) -> str:
    *_, phys, value, pc, map_id, opcode, width, _ = entry
    match opcode:
        case _Opcode.READ | _Opcode.WRITE:
            letter = "R" if opcode == _Opcode.READ else "W"
            return f"{letter} {width} {time} {map_id} {phys:#x} {value:#x} {pc:#x} {_PID}\n"
        case _Opcode.UNKNOWN_OP:
            code = ",".join(f"{value >> shift & 0xFF:02x}" for shift in (16, 8, 0))
            return f"UNKNOWN {time} {map_id} {phys:#x} {code} {pc:#x} {_PID}\n"
    return "rw what?\n"


def _map_lines(view: TraceView, rows: Rows) -> Column:
    return np.array([_map(*row) for row in zip(_times(rows), rows.entries(MMIO_MAP).tolist(), strict=True)], np.object_)


def _map(time: str, entry: tuple[int, ...]) -> str:
    *_, phys, virt, length, map_id, opcode, _ = entry
    match opcode:
        case _Opcode.PROBE:
            return f"MAP {time} {map_id} {phys:#x} {virt:#x} {length:#x} 0x0 {_PID}\n"
        case _Opcode.UNPROBE:
            return f"UNMAP {time} {map_id} 0x0 {_PID}\n"
    return "map what?\n"


def _mark_lines(view: TraceView, rows: Rows) -> Column:
    messages = print_message(view, rows).tolist()
    return np.array([f"MARK {time} {text}" for time, text in zip(_times(rows), messages, strict=True)], np.object_)


_LINES: Mapping[int, Callable[[TraceView, Rows], Column]] = {
    EventType.PRINT: _mark_lines,
    EventType.MMIO_RW: _access_lines,
    EventType.MMIO_MAP: _map_lines,
}
