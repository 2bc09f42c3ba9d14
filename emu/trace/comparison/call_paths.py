# SPDX-License-Identifier: GPL-2.0-only
"""Call paths, numbered consistently across several traces: a function called on another path counts as another one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.trace.call_levels import call_levels
from emu.trace.ranges import distinct_values
from emu.trace.trace import Trace

__all__ = ["NO_CALLER", "CallPaths"]

NO_CALLER = -1


class CallPaths:
    """The paths found so far.

    Functions called by an interrupt have paths of their own: where it interrupts says nothing about the interrupted function.

    Attributes:
        functions: the name of the last function of each path.
        callers: the number of the path without that function; NO_CALLER if there is none.
        whole: whether paths are distinguished; if not, all paths to a function are one.
    """

    def __init__(self, *, whole: bool = True) -> None:
        self.functions: list[str] = []
        self.callers: list[int] = []
        self.whole = whole
        self._numbers: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.functions)

    def names(self, path: int) -> tuple[str, ...]:
        """The functions of a path, outermost first."""
        names = []
        while path != NO_CALLER:
            names.append(self.functions[path])
            path = self.callers[path]
        return tuple(reversed(names))

    def number(self, trace: Trace) -> NDArray[np.int64]:
        """The path number of each call of a trace."""
        calls, callers = trace.calls, _callers(trace)
        addresses, which = np.unique(calls["address"], return_inverse=True)
        names = [trace.symbols.name_of(address) for address in addresses.tolist()]
        path = np.full(calls.count + 1, NO_CALLER)  # the last element stands for no caller
        for rows in call_levels(calls["depth"], callers):
            above = path[callers[rows]] if self.whole else np.full(len(rows), NO_CALLER)
            pairs, of_row = distinct_values((above + 1) * max(len(names), 1) + which[rows])
            known = (divmod(pair, max(len(names), 1)) for pair in pairs)
            numbers = [self._number_of(above - 1, names[name]) for above, name in known]
            path[rows] = np.array(numbers, np.int64)[of_row]
        return path[:-1]

    def _number_of(self, caller: int, function: str) -> int:
        if (caller, function) not in self._numbers:
            self._numbers[caller, function] = len(self.functions)
            self.callers.append(caller)
            self.functions.append(function)
        return self._numbers[caller, function]


def _callers(trace: Trace) -> NDArray[np.int64]:
    """The row of each call's caller, if it is on the call's path; otherwise NO_CALLER."""
    first, end = (trace.symbols.address_of(f"__irqentry_text_{edge}") or 0 for edge in ("start", "end"))
    address = trace.calls["address"]
    interrupts = (address >= np.uint64(first)) & (address < np.uint64(end))
    return np.where(interrupts, NO_CALLER, trace.calls["parent"])
