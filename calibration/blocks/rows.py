# SPDX-License-Identifier: GPL-2.0-only
"""Rows of kernel blocks, measured as a whole: what blocks cost in a context other than themselves."""

from __future__ import annotations

import platform
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from calibration import stored
from calibration.blocks.bodies import may_meet, relatives
from calibration.blocks.collect import all_bodies
from calibration.blocks.entries import blocks_of
from calibration.blocks.measure import compiler, measure

__all__ = ["Row", "measure_rows", "row_code", "rows_of"]

_LENGTH, _ROWS = 6, 600
_MOST_BYTES = 60  # of a block
_APART = 0x1040  # distance of the variables of blocks in a row, where operands are relative to `rip`


class Row(NamedTuple):
    """A measured row."""

    blocks: tuple[bytes, ...]
    cycles: float

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that is not looked at while tuning."""
        return stored.held_out(b"".join(self.blocks))


def row_code(blocks: Sequence[bytes]) -> bytes:
    """The code of blocks one after the other. Each block keeps variables of its own."""
    made = bytearray()
    for n, code in enumerate(blocks):
        begin = len(made)
        made += code
        for offset, end, target in relatives(code):
            displacement = target + n * _APART - begin - end
            made[begin + offset : begin + offset + 4] = displacement.to_bytes(4, "little", signed=True)
    return bytes(made)


def _choose(machine: str) -> list[tuple[bytes, ...]]:
    """Rows of measured blocks in which no pointers alias."""
    chance = random.Random(11)
    pool = [b.code for b in blocks_of(machine) if b.origin == "kernel" and not b.may_meet and len(b.code) <= _MOST_BYTES]
    rows: list[tuple[bytes, ...]] = []
    while len(rows) < _ROWS:
        row = tuple(chance.choice(pool) for _ in range(_LENGTH))
        if not may_meet(row_code(row)):
            rows.append(row)
    return rows


def measure_rows() -> Path:
    """Measures rows of the blocks that have been measured on this machine."""
    machine = stored.machine_name()
    rows = {row_code(row): row for row in _choose(machine)}
    found, header = measure(list(rows))
    tools = {"gcc": compiler(), "kernel": platform.release()}
    number = {code: place for place, code in enumerate(all_bodies())}
    measured = [(row, found[code].cycles) for code, row in rows.items() if code in found]
    places = [[number[block] for block in row] for row, _ in measured]  # of its blocks, among the bodies
    cycles = [cycles for _, cycles in measured]
    return stored.save_columns(machine, "rows", {**header, "tools": tools}, {"blocks": places, "cycles": cycles})


def rows_of(machine: str) -> list[Row]:
    """The rows measured on a machine."""
    columns, bodies = stored.load(machine, "rows")["columns"], all_bodies()
    measured = zip(columns["blocks"], columns["cycles"], strict=True)
    return [Row(tuple(bodies[place] for place in places), cycles) for places, cycles in measured]
