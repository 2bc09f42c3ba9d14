# SPDX-License-Identifier: GPL-2.0-only
"""How a machine stores numbers in memory: word size and byte order."""

from __future__ import annotations

import sys
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words"]


class Words(NamedTuple):
    """The word size and byte order of the machine that recorded, not of the host.

    Linux is compiled for two data models. In both a pointer is as large as a `long`: 8 bytes (LP64) or 4 (ILP32).

    Attributes:
        byte_order: "<" or ">".
        long_size: bytes of a `long`, and of a pointer.
    """

    byte_order: str = "<"
    long_size: int = 8

    @property
    def order(self) -> Literal["little", "big"]:
        """The byte order as `int.from_bytes` takes it."""
        return "little" if self.byte_order == "<" else "big"

    @property
    def swapped(self) -> bool:
        """Whether the byte order differs from the host's."""
        return self.order != sys.byteorder

    @property
    def highest(self) -> int:
        """The highest address."""
        return (1 << 8 * self.long_size) - 1

    def address_digits(self, address: int) -> str:
        """An address with all its digits."""
        return f"{address:0{2 * self.long_size}x}"

    def longs(self, data: bytes) -> NDArray[np.uint64]:
        """The complete numbers of an `unsigned long[]` in memory."""
        found = np.frombuffer(data, f"{self.byte_order}u{self.long_size}", len(data) // self.long_size)
        return found.astype(np.uint64)
