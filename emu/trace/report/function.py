# SPDX-License-Identifier: GPL-2.0-only
"""The text of the function tracer's calls, each below its caller, if that was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, Texts
from emu.trace.native.nesting import nest
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext

__all__ = ["FunctionText"]

_DEEPEST = 256  # remembered calls per CPU


class FunctionText:
    """Remembers, for each CPU, the calls that lead to the latest one."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context
        self._numbers: dict[str, int] = {}  # of names: two addresses in one function are one caller
        self._stacks = np.full((1 << 16, 1), -1, np.int32)
        self._depths = np.zeros(1 << 16, np.int32)

    def _names(self, addresses: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The number of the name at each address."""
        distinct, which = distinct_values(addresses)
        names = [self._context.function(address) or f"{address:#x}" for address in distinct]
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in names]
        return np.array(numbers, np.int32)[which]

    def __call__(self, table: EventTable) -> list[Piece]:
        functions, callers = self._names(table["ip"]), self._names(table["parent_ip"])
        cpus = table["common_cpu"]
        cpus_there = int(cpus.max()) + 1
        if self._stacks.shape[1] == 1:
            self._stacks = np.full((cpus_there, _DEEPEST), -1, np.int32)
        elif cpus_there > len(self._stacks):
            more = np.full((cpus_there - len(self._stacks), _DEEPEST), -1, np.int32)
            self._stacks = np.concatenate([self._stacks, more])
        depths = np.empty(table.count, np.int32)
        nest(cpus, functions, callers, self._stacks, self._depths, depths)
        return [
            Texts([" " * (3 * depth) for depth in range(_DEEPEST + 1)], depths),
            Texts([f"{name}\n" for name in self._numbers], functions),
        ]
