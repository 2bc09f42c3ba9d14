# SPDX-License-Identifier: GPL-2.0-only
"""Lifted code that is kept on disk: to lift and to compile all events of sched takes more than a second.

    ~/.cache/emu/emu.linux.lift-0f63fb6bd2ec2e1f/5d3a1ae6e08a7b2d...

The folder's name depends on the sources that lift and compile, and on the compiler's version; a file's name on the kernel, on
what was lifted, and on the host's CPU. What was lifted also depends on jump labels, which the kernel changes: their states are
in the file.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as binding

from emu.linux.lift import compiled
from emu.native.cache import cache_directory, fingerprint

__all__ = ["KeptCode", "LiftedCode"]

_CHECKSUM = 4  # bytes


class LiftedCode(NamedTuple):
    """Attributes:
    code: for Compiler.load; b"" if nothing could be lifted.
    labels: of the functions in it, those of the sites; none if it is an event's.
    obstacle: why something could not be lifted; "" if nothing stood in the way.
    states: whether jump labels on the way were taken, by their addresses.
    """

    code: bytes
    labels: Sequence[int]
    obstacle: str
    states: Mapping[int, bool]


class KeptCode:
    """The files.

    Args:
        source: the file of the module that lifts.
        depends: everything else that lifted code depends on.
        is_taken: whether a jump label is taken now.
    """

    def __init__(self, source: str, depends: tuple[object, ...], is_taken: Callable[[int], bool]) -> None:
        root = cache_directory()
        versions = fingerprint(source) + fingerprint(compiled.__file__)
        name = f"emu.linux.lift-{hashlib.sha256(versions.encode()).hexdigest()[:16]}"
        self._folder = None if root is None else root / name
        self._depends, self._is_taken = (*depends, binding.get_host_cpu_name()), is_taken

    def _place(self, what: tuple[object, ...]) -> Path | None:
        key = hashlib.sha256(repr((self._depends, what)).encode()).hexdigest()
        return None if self._folder is None else self._folder / key

    def get(self, what: tuple[object, ...]) -> LiftedCode | None:
        """What was kept under a key; None if there is nothing that can be used now."""
        place = self._place(what)
        try:
            data = b"" if place is None else place.read_bytes()
        except OSError:
            return None
        content, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
        if checksum != zlib.crc32(content).to_bytes(_CHECKSUM, "little"):
            return None
        head, _, code = content.partition(b"\n")
        known = json.loads(head)
        states = {int(label): bool(taken) for label, taken in known["states"].items()}
        if any(self._is_taken(label) != taken for label, taken in states.items()):
            return None
        return LiftedCode(code, known["labels"], known["obstacle"], states)

    def put(self, what: tuple[object, ...], lifted: LiftedCode) -> None:
        """Keeps lifted code. Nothing is lost if it cannot be written: it is then lifted again."""
        place = self._place(what)
        if place is None:
            return
        head = json.dumps({"labels": list(lifted.labels), "obstacle": lifted.obstacle, "states": dict(lifted.states)})
        content = head.encode() + b"\n" + lifted.code
        unfinished = place.with_name(f".{uuid.uuid4().hex[:16]}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(content + zlib.crc32(content).to_bytes(_CHECKSUM, "little"))
                unfinished.replace(place)
            finally:
                unfinished.unlink(missing_ok=True)
