# SPDX-License-Identifier: GPL-2.0-only
"""What entries and exits of function_graph belong together."""

from __future__ import annotations

from emu.native import outlined
from emu.trace.native.loads import number_at, word32_at

__all__ = ["NO_ROW", "find_leaves"]

NO_ROW = -1


@outlined
def find_leaves(kinds, sources, cpus, addresses, sizes, entry, exit_, where, long_size, swapped, leaves, last):
    """For each entry whose exit is the next event of its buffer, on the same CPU: the row of the exit; NO_ROW for all others.

    Args:
        kinds, sources, cpus, addresses, sizes: columns of all events; `sources`: the number of the buffer.
        entry, exit_: `common_type` of entries and exits.
        where: int64[2]: where in an entry, and where in an exit, the function's address is.
        long_size: bytes of the address.
        leaves: int64, is filled.
        last: int64[buffers] of NO_ROW.
    """
    for row in range(len(kinds)):
        leaves[row] = NO_ROW
        source = sources[row]
        before = last[source]
        last[source] = row
        if kinds[row] != exit_ or before < 0 or kinds[before] != entry or cpus[row] != cpus[before]:
            continue
        if sizes[row] < where[1] + long_size or sizes[before] < where[0] + long_size:
            continue
        function = number_at(addresses[before] + where[0], long_size, swapped)
        same_task = word32_at(addresses[before] + 4, swapped) == word32_at(addresses[row] + 4, swapped)
        if same_task and function == number_at(addresses[row] + where[1], long_size, swapped):
            leaves[before] = row
            last[source] = NO_ROW
