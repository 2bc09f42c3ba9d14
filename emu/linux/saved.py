# SPDX-License-Identifier: GPL-2.0-only
"""A machine in a file: a header with everything but RAM, and the pages of RAM that are not zeros, which are mapped copy-on-write.

    "emu machine\\n", format u32, header's length u32, its CRC-32 u32
    header: JSON
    at the next multiple of 4096 bytes: runs of pages, as the header lists them

Everything is checked before it is used: the header's and the pages' checksums, and the build of emu that has written it.
"""

from __future__ import annotations

import binascii
import dataclasses
import functools
import json
import mmap
import os
import struct
import uuid
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import unicorn

from emu.cpu.host_memory import DATA, FIXED, PRIVATE, map_memory
from emu.cpu.pc import Pc
from emu.cpu.pc.state import PAGE, PcState, capture, put_back, used_pages
from emu.cpu.snapshot.pages import note_mapped
from emu.native.cache import fingerprint

__all__ = ["BadMachine", "Saved", "build", "read", "read_header", "restore", "write"]

_HEAD = struct.Struct("<12sIII")
_MAGIC, _FORMAT = b"emu machine\n", 2
_MOST_HEADER = 64 << 20
_GAP = 16  # pages of zeros between two runs that are stored all the same: each run is a mapping of its own
_PIECE = 8 << 20


class BadMachine(ValueError):
    """A file holds no machine that can be used. The message is one line, and names the file."""


class Saved(NamedTuple):
    """A machine's file.

    Attributes:
        extra: what the caller has saved with the machine.
        state: of the PC, without RAM.
        runs: (first page, pages) in RAM, in the order in which they are stored from `start` on.
    """

    path: Path
    extra: dict[str, Any]
    memory: int
    state: PcState
    runs: list[tuple[int, int]]
    start: int


@functools.cache
def build() -> dict[str, str]:
    """What a machine's file depends on besides what the machine is made from."""
    return {"emu": fingerprint(__file__), "unicorn": unicorn.__version__}


def write(path: Path, pc: Pc, extra: dict[str, Any]) -> None:
    """Saves a machine that stands still. The file appears whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    ram = pc.board.ram
    runs = _runs(used_pages(ram))
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}")
    state = _encoded(capture(pc))
    checksum = 0
    for first, count in runs:
        checksum = zlib.crc32(ram[first * PAGE : (first + count) * PAGE], checksum)
    header = {"build": build(), "extra": extra, "memory": len(ram), "state": state, "runs": runs, "checksum": checksum}
    text = json.dumps(header, separators=(",", ":")).encode()
    try:
        with unfinished.open("wb") as file:
            file.write(_HEAD.pack(_MAGIC, _FORMAT, len(text), zlib.crc32(text)) + text)
            file.write(bytes(_start(len(text)) - _HEAD.size - len(text)))
            for first, count in runs:
                file.write(ram[first * PAGE : (first + count) * PAGE])
        unfinished.replace(path)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()


def read_header(path: Path) -> dict[str, Any]:
    """The header of a machine's file, whose pages are not checked.

    Raises:
        BadMachine: it is damaged, or of another build.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size or not head.startswith(_MAGIC):
            raise BadMachine(f"{path}: this is no machine of emu")
        _, number, length, checksum = _HEAD.unpack(head)
        if number != _FORMAT:
            raise BadMachine(f"{path}: its format is {number}, that of this emu is {_FORMAT}")
        text = file.read(length) if length <= min(os.fstat(file.fileno()).st_size, _MOST_HEADER) else b""
    if len(text) != length or zlib.crc32(text) != checksum:
        raise BadMachine(f"{path}: the machine's file is damaged")
    try:
        header: dict[str, Any] = json.loads(text)
        theirs = header["build"]
        different = [f"{name} {theirs.get(name)}, not {ours}" for name, ours in build().items() if theirs.get(name) != ours]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise BadMachine(f"{path}: the machine's file is damaged") from None
    if different:
        raise BadMachine(f"{path}: another build has saved it: {', '.join(different)}")
    return header | {"start": _start(length)}


def read(path: Path) -> Saved:
    """Checks a machine's file.

    Raises:
        BadMachine: it is damaged, or of another build.
        OSError: it cannot be read.
    """
    header = read_header(path)
    try:
        runs = [(int(first), int(count)) for first, count in header["runs"]]
        found = Saved(path, dict(header["extra"]), int(header["memory"]), _decoded(header["state"]), runs, header["start"])
    except (ValueError, LookupError, TypeError):
        raise BadMachine(f"{path}: the machine's file is damaged") from None
    start, size = found.start, sum(count for _, count in runs) * PAGE
    with path.open("rb") as file:
        whole = os.fstat(file.fileno()).st_size == start + size and _are_in_order(runs, found.memory)
        if not whole or _checksum(file.fileno(), start, size) != header["checksum"]:
            raise BadMachine(f"{path}: the machine's file is damaged")
    return found


def restore(pc: Pc, saved: Saved) -> None:
    """Puts a saved machine on a new board with the same parameters. Its RAM is the file's, until it is written.

    Raises:
        BadMachine: the board's memory or its CPUs are others.
        OSError: the file cannot be mapped.
    """
    if (len(pc.board.ram), len(pc.board.cpus)) != (saved.memory, len(saved.state.cpus)):
        raise BadMachine(f"{saved.path}: the machine has {len(saved.state.cpus)} CPUs and {saved.memory} bytes of memory")
    place = saved.start
    with saved.path.open("rb") as file:
        for first, count in saved.runs:
            map_memory(pc.board.ram_address + first * PAGE, count * PAGE, PRIVATE | FIXED, DATA, file.fileno(), place)
            place += count * PAGE
    pages = [np.arange(first, first + count) for first, count in saved.runs]
    note_mapped(pc.board.ram_address, np.concatenate(pages) if pages else np.zeros(0, np.int64))
    put_back(pc, saved.state)


def _start(header: int) -> int:
    return -(-(_HEAD.size + header) // PAGE) * PAGE


def _runs(pages: np.ndarray[Any, np.dtype[np.int64]]) -> list[tuple[int, int]]:
    """Runs of pages. Short gaps belong to them."""
    if not len(pages):
        return []
    ends = np.flatnonzero(np.diff(pages) > _GAP)
    first, last = pages[np.concatenate(([0], ends + 1))], pages[np.concatenate((ends, [len(pages) - 1]))]
    return [(int(begin), int(end - begin + 1)) for begin, end in zip(first, last, strict=True)]


def _are_in_order(runs: list[tuple[int, int]], memory: int) -> bool:
    """Whether runs of pages are apart and in RAM: mapping others would overwrite the host's memory."""
    places = [place for first, count in runs for place in (first, first + count)]
    in_ram = all(0 <= place <= memory // PAGE for place in places)
    return in_ram and places == sorted(places) and all(count > 0 for _, count in runs)


def _checksum(descriptor: int, start: int, size: int) -> int:
    if not size:
        return 0
    with mmap.mmap(descriptor, 0, prot=mmap.PROT_READ) as data, memoryview(data) as view:
        checksum = 0
        for at in range(start, start + size, _PIECE):
            with view[at : min(at + _PIECE, start + size)] as piece:
                checksum = zlib.crc32(piece, checksum)
        return checksum


def _encoded(state: PcState) -> dict[str, Any]:
    fields = dataclasses.asdict(state)
    for name in ("registers", "received"):
        fields[name] = [binascii.hexlify(data).decode() for data in fields[name]]
    return fields


def _decoded(fields: dict[str, Any]) -> PcState:
    for name in ("registers", "received"):
        fields[name] = [binascii.unhexlify(text) for text in fields[name]]
    return PcState(**fields)
