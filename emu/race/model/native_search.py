# SPDX-License-Identifier: GPL-2.0-only
"""The search of `search.py` by native code: the same states in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.native import search as native
from emu.race.model.search import Found, State
from emu.race.model.tables import Tables

__all__ = ["native_search"]

_CHUNK = 1 << 17  # states between two looks at limits and signals: some 0.1 s
_ROOM = 1 << 10  # states that there is room for at first


def native_search(tables: Tables, cpus: int, limits: Limits) -> Found:
    """Searches the product of so many CPUs.

    Raises:
        ValueError: a state does not fit into a word.
    """
    search = _Search(tables, cpus)
    try:
        return search.run(limits)
    except KeyboardInterrupt:
        return search.found(limit=INTERRUPTED)


class _Search:
    def __init__(self, tables: Tables, cpus: int) -> None:
        widest = max(len(rows) for rows in tables.rows)
        self._cpus, self._bits = cpus, (widest - 1).bit_length()
        if cpus * self._bits + len(tables.rows).bit_length() > 64:
            raise ValueError(
                f"{cpus} CPUs of {widest:,} states and {len(tables.rows)} positions of the patcher do not fit into 64 bits; "
                f"fewer CPUs or sites do"
            )
        rows = [row for rows in tables.rows for row in rows]
        most = max(len(row.targets) for row in rows)
        self._rows = _sums(len(rows) for rows in tables.rows)
        self._first = _sums(len(row.targets) for row in rows)
        self._targets = np.array([target for row in rows for target in row.targets], np.int64)
        self._advance = np.array([row.advance for row in rows], np.int64)
        self._numbers = np.zeros((2, cpus), np.int64)
        self._queue, self._parents = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
        self._counts = np.zeros(native.COUNTS, np.int64)
        self._grow(max(_ROOM, 2 * (1 + most * cpus)))
        self._queue[0] = 1 << self._bits * cpus
        self._counts[native.TAIL], self._counts[native.LAST] = 1, -1
        native.rehash(self._table, self._shift, self._queue, 1)

    def _grow(self, room: int) -> None:
        """Makes room for twice as many states, at least for `room`."""
        count = int(self._counts[native.TAIL])
        power = max(2 * len(self._queue), room).bit_length()
        queue, parents = np.empty(1 << power - 1, np.uint64), np.empty(1 << power - 1, np.uint32)
        queue[: len(self._queue)], parents[: len(self._parents)] = self._queue, self._parents
        self._queue, self._parents = queue, parents
        self._table, self._shift = np.zeros(1 << power, np.uint64), np.uint64(64 - power)
        native.rehash(self._table, self._shift, self._queue, count)

    def run(self, limits: Limits) -> Found:
        """Searches until the end, something wrong or a limit."""
        most_states = 1 << 62 if limits.states is None else limits.states
        while True:
            why = native.run(
                self._rows, self._first, self._targets, self._advance, np.uint64(self._bits), self._numbers, self._table,
                self._shift, self._queue, self._parents, self._counts, _CHUNK, most_states,
            )  # fmt: skip
            if why == native.WRONG:
                return self.found(wrong=True)
            if why == native.END:
                return self.found()
            if why == native.ROOM:
                self._grow(0)
            if limit := limits.reached(int(self._counts[native.TAIL])):
                return self.found(limit=limit)

    def found(self, *, wrong: bool = False, limit: str = "") -> Found:
        """What was found so far."""
        head, tail, moves, last = (int(count) for count in self._counts[:4])
        found = Found(tail, moves, self._reached(head + wrong), limit=limit)
        if wrong:
            found.wrong = self._way(head)
        elif not limit:
            found.last = self._way(last)
        return found

    def _reached(self, count: int) -> list[set[int]]:
        """Of each position: the numbers of the CPUs' states among the first states."""
        words = self._queue[:count]
        mask = np.uint64((1 << self._bits) - 1)
        starts = self._rows[(words >> np.uint64(self._bits * self._cpus)).astype(np.int64) - 1]
        reached = np.zeros(self._rows[-1], bool)
        for cpu in range(self._cpus):
            reached[starts + ((words >> np.uint64(self._bits * cpu)) & mask).astype(np.int64)] = True
        return [set(np.flatnonzero(reached[start:stop]).tolist()) for start, stop in itertools.pairwise(self._rows)]

    def _way(self, number: int) -> list[State]:
        """The states from the first one to this."""
        backwards = [] if number < 0 else [number]
        while backwards and backwards[-1] > 0:
            backwards.append(int(self._parents[backwards[-1]]))
        return [self._state(int(self._queue[n])) for n in reversed(backwards)]

    def _state(self, word: int) -> State:
        numbers = tuple(word >> self._bits * cpu & (1 << self._bits) - 1 for cpu in reversed(range(self._cpus)))
        return (word >> self._bits * self._cpus) - 1, numbers


def _sums(counts: Iterable[int]) -> npt.NDArray[np.int64]:
    """How many come before each, and at last how many there are."""
    return np.array([0, *itertools.accumulate(counts)], np.int64)
