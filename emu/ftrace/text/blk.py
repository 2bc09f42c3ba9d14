# SPDX-License-Identifier: GPL-2.0-only
"""The text of the blk tracer's entries: the life of disk requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import BLK, EventType
from emu.ftrace.text.columns import Column
from emu.ftrace.text.numbers import binary_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["blk_binary", "blk_header", "blk_text", "classic_column", "classic_rows"]

_SECTOR = 512  # bytes
_NS = 1_000_000_000  # per second
_MINOR_BITS = 20  # of a device number

# The categories are in the upper half of an action
_CATEGORIES = 16  # bits below them
_WRITE, _FLUSH, _SYNC, _META = 1 << 1, 1 << 2, 1 << 3, 1 << 12

# Constants of blktrace's file format: the head of an entry; the fields after the timestamp
_MAGIC = np.uint32(0x65617407)
_NUMBERS = ("sector", "bytes", "action", "task", "device", "cpu", "error", "pdu_len")


def blk_header(view: TraceView) -> str:
    """The column titles, with the option blk_classic."""
    if not view.option("blk_classic"):
        return ""
    return "# DEV   CPU TIMESTAMP     PID ACT FLG\n#  |     |     |           |   |   |\n"


def classic_rows(view: TraceView, rows: Rows) -> NDArray[np.bool_]:
    """For each row, whether it has the format of blktrace's own output: the tracer is blk, with the option blk_classic."""
    classic: NDArray[np.bool_] = rows.entry["type"] == EventType.BLK
    return classic & (view.tracer == "blk" and view.option("blk_classic"))


def blk_text(view: TraceView, rows: Rows) -> Column:
    """`  1,0    Q   R 0 + 8 [dd]`: device, action, operation and sectors; with the option verbose, `queue` instead of `Q`."""
    parts = _parts(view)
    return np.array([f"{device} {text}" for device, text in map(parts, rows.bodies())], np.object_)


def classic_column(view: TraceView, rows: Rows) -> Column:
    """`  1,0    1     0.447298928    57  Q   R 0 + 8 [dd]`: also CPU, time and pid after the device."""
    parts = _parts(view)
    columns = (map(parts, rows.bodies()), rows.cpu.tolist(), rows.time.tolist(), rows.entry["pid"].tolist())
    lines = [
        f"{device} {cpu:2} {time // _NS:5}.{time % _NS:09} {pid:5} {text}"
        for (device, text), cpu, time, pid in zip(*columns, strict=True)
    ]
    return np.array(lines, np.object_)


def blk_binary(view: TraceView, rows: Rows) -> Column:
    """The structure of blktrace's file format, in the guest's byte order."""
    entries, start = rows.entries(BLK), np.zeros(len(rows), np.uint32)
    numbers = binary_numbers(view, start + _MAGIC, start, rows.time, *(entries[name] for name in _NUMBERS))
    data = [rows.payload(row, BLK.itemsize)[: entries["pdu_len"][row]] for row in range(len(rows))]
    column: Column = numbers + np.array([pdu.decode(errors="surrogateescape") for pdu in data], np.object_)
    return column


def _parts(view: TraceView) -> Callable[[bytes], tuple[str, str]]:
    """Returns a function from an entry to the text of its device and the text from the action on."""
    long = view.option("verbose")

    @cache
    def parts(body: bytes) -> tuple[str, str]:
        entry = np.frombuffer(body, BLK, 1)[0]
        device, action = int(entry["device"]), int(entry["action"])
        where = f"{device >> _MINOR_BITS:3},{device & (1 << _MINOR_BITS) - 1:<3}"
        letter, name, tail = _ACTIONS[action & 0xFF]
        return where, f"{name if long else letter:>2} {_how(entry):>3} {tail(entry, body, view.task_name(int(entry['task'])))}\n"

    return parts


def _how(entry: np.void) -> str:
    """`RS`: a letter for the operation, and one for each flag."""
    categories = int(entry["action"]) >> _CATEGORIES
    operation = "W" if categories & _WRITE else "R" if entry["bytes"] else "N"
    flags = "".join(letter for bit, letter in ((_SYNC, "S"), (_META, "M")) if categories & bit)
    return ("F" if categories & _FLUSH else "") + operation + flags


def _sectors(entry: np.void) -> str:
    count = int(entry["bytes"]) // _SECTOR
    return f"{entry['sector']} + {count} " if count else ""


def _generic(entry: np.void, body: bytes, task: str) -> str:
    return f"{_sectors(entry)}[{task}]"


def _completed(entry: np.void, body: bytes, task: str) -> str:
    return f"{_sectors(entry) or str(entry['sector']) + ' '}[{entry['error']}]"


def _plugged(entry: np.void, body: bytes, task: str) -> str:
    return f"[{task}]"


def _unplugged(entry: np.void, body: bytes, task: str) -> str:
    """The number of requests, which is stored big-endian."""
    return f"[{task}] {int.from_bytes(body[BLK.itemsize :][: int(entry['pdu_len'])], 'big')}"


_ACTIONS: dict[int, tuple[str, str, Callable[[np.void, bytes, str], str]]] = {
    1: ("Q", "queue", _generic),
    2: ("M", "backmerge", _generic),
    3: ("F", "frontmerge", _generic),
    4: ("G", "getrq", _generic),
    7: ("D", "issue", _generic),
    8: ("C", "complete", _completed),
    9: ("P", "plug", _plugged),
    10: ("U", "unplug_io", _unplugged),
    11: ("UT", "unplug_timer", _unplugged),
    12: ("I", "insert", _generic),
}
