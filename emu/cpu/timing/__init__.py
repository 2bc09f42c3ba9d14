# SPDX-License-Identifier: GPL-2.0-only
"""What a block of instructions costs. A model is asked once per block; the native hook remembers its answer."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["BlockCost", "TimingModel"]


class BlockCost(NamedTuple):
    """One block's static cost."""

    instructions: int
    cycles: int
    last: int = 0  # offset of the last instruction, in bytes


class TimingModel(Protocol):
    """Costs of blocks of one architecture."""

    def block(self, code: bytes, address: int) -> BlockCost:
        """The cost of the instructions in `code`, which begin at virtual `address`."""
