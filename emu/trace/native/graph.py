# SPDX-License-Identifier: GPL-2.0-only
"""Matches function_graph's entries and exits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.trace.native.loads import number_at, word32_at

__all__ = ["NO_ROW", "Columns", "GraphFormats", "find_leaves"]

NO_ROW = -1


class Columns(NamedTuple):
    """Columns of all events. `sources`: the number of the buffer."""

    kinds: NDArray[np.uint16]
    sources: NDArray[np.int64]
    cpus: NDArray[np.uint16]
    addresses: NDArray[np.int64]
    sizes: NDArray[np.int32]


class GraphFormats(NamedTuple):
    """The layouts of entries and exits.

    Attributes:
        entry, exit: their `common_type`.
        in_entry, in_exit: the offsets of the function's address.
        long_size: the size of the address in bytes.
    """

    entry: int
    exit: int
    in_entry: int
    in_exit: int
    long_size: int
    swapped: bool


@specialized
def find_leaves(events: Columns, formats: GraphFormats, leaves: NDArray[np.int64], last: NDArray[np.int64]) -> None:
    """For each entry whose exit is the next event of its buffer on the same CPU: the row of the exit; NO_ROW for all others.

    Args:
        leaves: the result.
        last: int64[buffers], filled with NO_ROW.
    """
    kinds, cpus, addresses, sizes = events.kinds, events.cpus, events.addresses, events.sizes
    swapped, long_size = formats.swapped, formats.long_size
    for row in range(len(kinds)):
        leaves[row] = NO_ROW
        source = events.sources[row]
        before = last[source]
        last[source] = row
        if kinds[row] != formats.exit or before < 0 or kinds[before] != formats.entry or cpus[row] != cpus[before]:
            continue
        if sizes[row] < formats.in_exit + long_size or sizes[before] < formats.in_entry + long_size:
            continue
        function = number_at(addresses[before] + formats.in_entry, long_size, swapped)
        same_task = word32_at(addresses[before] + 4, swapped) == word32_at(addresses[row] + 4, swapped)
        if same_task and function == number_at(addresses[row] + formats.in_exit, long_size, swapped):
            leaves[before] = row
            last[source] = NO_ROW
