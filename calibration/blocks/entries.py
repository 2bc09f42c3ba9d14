# SPDX-License-Identifier: GPL-2.0-only
"""Measured blocks as they are stored."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any, NamedTuple

from calibration import stored
from calibration.blocks.bodies import may_meet
from calibration.blocks.collect import stored_bodies
from calibration.blocks.measure import Measured, compiler, measure

__all__ = ["Block", "blocks_of", "measure_blocks"]


class Block(NamedTuple):
    """A measured block."""

    code: bytes
    origin: str  # kernel, programs or special
    cycles: float
    spread: float  # of the measurements, in parts of the cycles
    may_meet: bool  # the harness made accesses meet that may not in the program: it is not judged

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that is not looked at."""
        return stored.held_out(self.code)


def save_blocks(found: dict[bytes, Measured], header: dict[str, Any]) -> Path:
    """Stores this machine's measurements."""
    entries = [
        [code.hex(), origin, *found[code], may_meet(code)]
        for origin, bodies in stored_bodies().items()
        for code in bodies
        if code in found
    ]
    columns = ["code", "origin", "cycles", "spread", "may_meet"]
    tools = {"gcc": compiler(), "kernel": platform.release()}
    return stored.save(stored.machine_name(), "blocks", {**header, "tools": tools, "columns": columns}, entries)


def measure_blocks() -> Path:
    """Measures all stored bodies on this machine."""
    return save_blocks(*measure([code for bodies in stored_bodies().values() for code in bodies]))


def blocks_of(machine: str) -> list[Block]:
    """What was measured on a machine."""
    return [Block(bytes.fromhex(code), *rest) for code, *rest in stored.load(machine, "blocks")["entries"]]
