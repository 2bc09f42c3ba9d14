# SPDX-License-Identifier: GPL-2.0-only
"""Branch predictors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from emu.cpu.timing import Ending
from emu.cpu.timing.composition import AS_EXPECTED, MISPREDICTED, RETURNED, TAKEN, TURNED
from emu.cpu.timing.core import Predictor

__all__ = ["Predictors"]

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_GOLDEN = 0x9E37_79B9_7F4A_7C15  # 2**64 over the golden ratio
_CALLS = (Ending.CALL, Ending.INDIRECT_CALL)
_INDIRECT = (Ending.INDIRECT_CALL, Ending.INDIRECT_JUMP)


def _mix(value: int) -> int:
    """The upper part of a product whose bits all depend on those of `value`."""
    return (value * _GOLDEN & _WORD) >> 32


@dataclass
class _Tagged:
    """An entry of a table of branches with their histories."""

    tag: int
    counter: int  # 0 to 7, predicts taken from 4 on
    useful: bool = False


@dataclass
class _TaggedTable:
    """Entries by a hash of a branch's end address and of the last branches' outcomes."""

    entries: int
    branches: int  # the length of the history
    multiplier: int
    of: dict[int, _Tagged] = field(default_factory=dict)

    def find(self, end: int, history: list[bool]) -> tuple[int, int]:
        """A branch's index in the table, and its tag there."""
        bits = sum(taken << age for age, taken in enumerate(reversed(history[-self.branches :])))
        mixed = _mix(end ^ bits * self.multiplier) >> 8
        return mixed % self.entries, mixed >> 12 & 0x7FF


class Predictors:
    """The predictors of one CPU.

    Attributes:
        counts: of events, by the names of COUNTERS.
    """

    def __init__(self, core: Predictor) -> None:
        self._core = core
        self._history: list[bool] = []
        self._simple: Counter[int] = Counter()
        short, long = core.histories
        self._near, self._far = _TaggedTable(core.tagged, short, 0x9E3B), _TaggedTable(core.tagged, long, 0x85EB_CA6B)
        self._targets: dict[int, tuple[int, int]] = {}  # for direct branches: (end, target)
        self._indirect: dict[int, tuple[int, bool]] = {}  # targets, and whether it was the last one
        self._stack = [0] * core.return_stack
        self._calls = 0  # minus returns
        self.counts: Counter[str] = Counter()

    def block(self, ending: Ending, end: int, address: int) -> int:
        """A block with that ending before `end` continues at `address`. Returns how that was predicted."""
        if ending in (Ending.FALLS, Ending.TRAPS):
            return AS_EXPECTED
        self.counts["branches"] += 1
        if ending == Ending.CONDITIONAL:
            taken = address != end
            if not self._conditional(end, taken):
                return self._missed("conditional-misses")
            return self._direct(end, address) if taken else AS_EXPECTED
        if ending == Ending.RETURN:
            self.counts["returns"] += 1
            expected = self._stack[self._calls % len(self._stack)]
            self._calls = self._calls - 1 & _WORD
            return RETURNED if expected == address else self._missed("return-misses")
        if ending in _CALLS:
            self._calls = self._calls + 1 & _WORD
            self._stack[self._calls % len(self._stack)] = end
        if ending not in _INDIRECT:
            return self._direct(end, address)
        self.counts["indirect-branches"] += 1
        place = _mix(end) % self._core.indirect
        expected, sure = self._indirect.get(place, (0, False))
        if expected == address:
            self._indirect[place] = address, True
            return TAKEN
        self._indirect[place] = (expected, False) if sure else (address, True)
        return self._missed("indirect-misses")

    def _missed(self, what: str) -> int:
        self.counts[what] += 1
        self.counts["branch-misses"] += 1
        return MISPREDICTED

    def _direct(self, end: int, target: int) -> int:
        place = _mix(end) % self._core.targets
        if self._targets.get(place) == (end, target):
            return TAKEN
        self._targets[place] = end, target
        self.counts["btb-misses"] += 1
        return TURNED

    def _conditional(self, end: int, taken: bool) -> bool:
        """Whether the prediction was right."""
        self.counts["conditional-branches"] += 1
        tables = [(table, *table.find(end, self._history)) for table in (self._far, self._near)]  # the longer history first
        self._history = [*self._history, taken][-64:]
        found = [(table.of[place], table) for table, place, tag in tables if place in table.of and table.of[place].tag == tag]
        provider: _TaggedTable | None = None
        if found:
            entry, provider = found[0]
            expected = entry.counter >= 4
            entry.counter = min(entry.counter + 1, 7) if taken else max(entry.counter - 1, 0)
            entry.useful = expected == taken
        else:
            counter = self._simple[end % self._core.bimodal]
            expected = counter >= 2
            self._simple[end % self._core.bimodal] = min(counter + 1, 3) if taken else max(counter - 1, 0)
        if expected != taken:
            self._allocate(tables, provider, taken)
        return expected == taken

    def _allocate(self, tables: list[tuple[_TaggedTable, int, int]], provider: _TaggedTable | None, taken: bool) -> None:
        """Allocates an entry with a longer history to a mispredicted branch, or makes room for the next time."""
        far, near = tables
        longer = {id(None): [near, far], id(self._near): [far], id(self._far): []}[id(provider)]
        for table, place, tag in longer:
            if place not in table.of or not table.of[place].useful:
                table.of[place] = _Tagged(tag, 4 if taken else 3)
                return
        for table, place, _ in longer:
            table.of[place].useful = False
