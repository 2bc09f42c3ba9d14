# SPDX-License-Identifier: GPL-2.0-only
"""Where a machine stands that has executed a part of a block."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Shown"]


class Shown(NamedTuple):
    """An instruction in the midst of a block that has begun, at which the machine stands.

    Attributes:
        done: instructions of the block that have been executed.
        size: instructions of the block.
        cost: cycles of the block.
        cycles, instructions: of the CPU, with the block: as instructions in it see them.
    """

    done: int
    size: int
    cost: int
    cycles: int
    instructions: int
