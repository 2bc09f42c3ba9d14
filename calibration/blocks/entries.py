# SPDX-License-Identifier: GPL-2.0-only
"""Measured blocks in their stored form."""

from __future__ import annotations

import functools
import platform
from pathlib import Path
from typing import Any, NamedTuple

from calibration import stored
from calibration.blocks.bodies import may_meet
from calibration.blocks.collect import all_bodies, digest, stored_bodies
from calibration.blocks.measure import Measured, compiler, measure

__all__ = ["Block", "blocks_of", "measure_blocks"]


class Block(NamedTuple):
    """A measured block."""

    code: bytes
    origin: str  # kernel, programs or special
    cycles: float
    may_meet: bool  # accesses alias in the harness that may not in the program: such a block is not judged

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that is not looked at while tuning."""
        return stored.held_out(self.code)


def save_blocks(found: dict[bytes, Measured], header: dict[str, Any]) -> Path:
    """Stores this machine's measurements, in the order of the stored bodies; null for a body that could not be measured."""
    columns = {"cycles": [found[code].cycles if code in found else None for code in all_bodies()]}
    tools = {"gcc": compiler(), "kernel": platform.release()}
    return stored.save_columns(stored.machine_name(), "blocks", {**header, "tools": tools, "bodies": digest()}, columns)


def measure_blocks() -> Path:
    """Measures all stored bodies on this machine."""
    return save_blocks(*measure(all_bodies()))


@functools.cache
def blocks_of(machine: str) -> tuple[Block, ...]:
    """The measurements of a machine.

    Raises:
        ValueError: the measured bodies are not those that are stored now.
    """
    data = stored.load(machine, "blocks")
    if data["bodies"] != digest():
        raise ValueError(f"the bodies have changed since they were measured on {machine}: measure them again")
    names = ((origin, code) for origin, bodies in stored_bodies().items() for code in bodies)
    measured = zip(names, data["columns"]["cycles"], strict=True)
    return tuple(Block(code, origin, cycles, may_meet(code)) for (origin, code), cycles in measured if cycles is not None)
