# SPDX-License-Identifier: GPL-2.0-only
"""The symbols of addresses in traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Symbol", "Symbols"]


class Symbol(NamedTuple):
    """The symbol of an address: the address is `offset` bytes into a symbol of `size` bytes, in the kernel or in a module."""

    name: str
    offset: int
    size: int
    module: str = ""


class Symbols(Protocol):
    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None if there is none."""
