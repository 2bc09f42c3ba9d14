# SPDX-License-Identifier: GPL-2.0-only
"""Nests calls without returns, each below its caller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized

__all__ = ["nest"]

Ints = NDArray[np.int32]


@specialized
def nest(cpus: NDArray[np.uint16], functions: Ints, callers: Ints, stacks: Ints, sizes: Ints, depths: Ints) -> None:
    """The depth of each call: below the first call in its CPU's stack with its caller's name; 0 if there is none.

    Args:
        cpus: of the calls.
        functions, callers: numbers of names.
        stacks: int32[CPU, n]: the names of the calls of each CPU, continued from earlier events.
        sizes: of each CPU: the number of known calls.
        depths: the result.
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
