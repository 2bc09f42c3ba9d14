# SPDX-License-Identifier: GPL-2.0-only
"""Calls without returns, each put below its caller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized

__all__ = ["nest"]

Ints = NDArray[np.int32]


@specialized
def nest(cpus: NDArray[np.uint16], functions: Ints, callers: Ints, stacks: Ints, sizes: Ints, depths: Ints) -> None:
    """How deep each call is: below the first in its CPU's stack that has its caller's name; at the top if there is none.

    Args:
        cpus: of the calls.
        functions, callers: numbers of names.
        stacks: int32[CPU, n]: the names of the calls of each CPU, which go on from what they were.
        sizes: of each CPU: how many of them are known.
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
