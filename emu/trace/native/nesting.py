# SPDX-License-Identifier: GPL-2.0-only
"""Calls without returns, each put below its caller."""

from __future__ import annotations

from emu.native import outlined

__all__ = ["nest"]


@outlined
def nest(cpus, functions, callers, stacks, sizes, depths):
    """How deep each call is: below the first in its CPU's stack that has its caller's name; at the top if there is none.

    Args:
        cpus: of the calls.
        functions, callers: numbers of names.
        stacks: int32[CPU, n]: the names of the calls of each CPU, which go on from what they were.
        sizes: int32[CPU]: how many of them are known.
        depths: is filled.
    """
    most = stacks.shape[1]
    for n in range(len(functions)):
        cpu, place = cpus[n], -1
        for entry in range(sizes[cpu]):
            if stacks[cpu, entry] == callers[n]:
                place = entry
                break
        if place < 0:
            place = 0
            stacks[cpu, 0] = callers[n]
            sizes[cpu] = max(sizes[cpu], 1)
        depths[n] = place
        if place + 1 < most:
            stacks[cpu, place + 1] = functions[n]
            sizes[cpu] = max(sizes[cpu], place + 2)
