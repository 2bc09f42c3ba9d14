# SPDX-License-Identifier: GPL-2.0-only
"""The search of `search.py` in native code: the same states in the same order."""

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

_CHUNK = 1 << 17  # states between two checks of limits and signals: about 0.1 s
_ROOM = 1 << 10  # initial capacity in states
_PARENT_BITS = 32  # bits of a parent state's number


def native_search(tables: Tables, cpus: int, limits: Limits) -> Found:
    """Searches the product of this many CPUs. If a state does not fit into a word, that is a limit."""
    if why := _too_large(tables, cpus):
        return Found(0, 0, [set() for _ in tables.rows], limit=why)
    search = _Search(tables, cpus)
    try:
        return search.run(limits)
    except KeyboardInterrupt:
        return search.found(limit=INTERRUPTED)


def _bits(tables: Tables) -> int:
    """The number of bits for a CPU's state number."""
    return max(len(rows) - 1 for rows in tables.rows).bit_length()


def _too_large(tables: Tables, cpus: int) -> str:
    """Why a state of all CPUs does not fit into a word, as a sentence; "" if it does."""
    if cpus * _bits(tables) + len(tables.rows).bit_length() <= 64:
        return ""
    widest, positions = max(map(len, tables.rows)), len(tables.rows)
    return f"{cpus} CPUs of {widest:,} states and {positions:,} positions of the patcher do not fit into 64 bits"


class _Search:
    def __init__(self, tables: Tables, cpus: int) -> None:
        self._cpus, self._bits = cpus, _bits(tables)
        rows = [row for rows in tables.rows for row in rows]
        self._moves = native.Moves(
            _sums(len(rows) for rows in tables.rows),
            _sums(len(row.targets) for row in rows),
            np.array([target for row in rows for target in row.targets], np.int64),
            _sums(len(steps) for steps in tables.steps),
            np.array([step.to for steps in tables.steps for step in steps], np.int64),
            np.array([to for row in rows for to in row.advance], np.int64),
            _sums(len(rows) * len(steps) for rows, steps in zip(tables.rows, tables.steps, strict=True)),
            np.array([tables.automaton.patcher.is_last(n) for n in range(len(tables.rows))], np.int64),
        )
        self._numbers = np.zeros((2, cpus), np.int64)
        self._counts = np.zeros(native.COUNTS, np.int64)
        self._counts[native.TAIL], self._counts[native.LAST] = 1, -1
        most = max(len(row.targets) for row in rows) * cpus + max(map(len, tables.steps))
        self._seen = _seen(max(_ROOM, 1 + most).bit_length())
        self._seen.queue[0] = 1 << self._bits * cpus
        native.refill(self._seen, 1)

    def _grow(self) -> None:
        """Doubles the capacity."""
        count, old = int(self._counts[native.TAIL]), self._seen
        seen = _seen(len(old.queue).bit_length())
        seen.queue[:count], seen.parents[:count] = old.queue[:count], old.parents[:count]
        native.refill(seen, count)
        self._seen = seen

    def run(self, limits: Limits) -> Found:
        """Searches until the end, something wrong or a limit."""
        most_seen = 1 << 62 if limits.states is None else limits.states
        while True:
            why = native.run(self._moves, self._seen, self._bits, self._numbers, self._counts, _CHUNK, most_seen)
            if why == native.Stop.WRONG:
                return self.found(wrong=True)
            if why == native.Stop.END:
                return self.found()
            if why == native.Stop.ROOM:
                try:
                    self._grow()
                except MemoryError:
                    return self.found(limit=f"there is no memory for more than {self._counts[native.TAIL]:,} states")
            if limit := limits.reached(int(self._counts[native.TAIL])):
                return self.found(limit=limit)

    def found(self, *, wrong: bool = False, limit: str = "") -> Found:
        """The result so far."""
        head, tail, moves, last = (int(count) for count in self._counts[[native.HEAD, native.TAIL, native.MOVES, native.LAST]])
        found = Found(tail, moves, self._reached(head + wrong), limit=limit)
        if wrong:
            found.wrong = self._way(head)
        elif not limit:
            found.last = self._way(last)
        return found

    def _reached(self, count: int) -> list[set[int]]:
        """For each position, the numbers of the CPUs' states among the first states."""
        words, firsts = self._seen.queue[:count], self._moves.rows
        mask = np.uint64((1 << self._bits) - 1)
        starts = firsts[(words >> np.uint64(self._bits * self._cpus)).astype(np.int64) - 1]
        reached = np.zeros(firsts[-1], bool)
        for cpu in range(self._cpus):
            reached[starts + ((words >> np.uint64(self._bits * cpu)) & mask).astype(np.int64)] = True
        return [set(np.flatnonzero(reached[start:stop]).tolist()) for start, stop in itertools.pairwise(firsts)]

    def _way(self, number: int) -> list[State]:
        """The states on the path from the first one to this one."""
        backwards = [] if number < 0 else [number]
        while backwards and backwards[-1] > 0:
            backwards.append(int(self._seen.parents[backwards[-1]]))
        return [self._state(int(self._seen.queue[n])) for n in reversed(backwards)]

    def _state(self, word: int) -> State:
        numbers = tuple(word >> self._bits * cpu & (1 << self._bits) - 1 for cpu in reversed(range(self._cpus)))
        return (word >> self._bits * self._cpus) - 1, numbers


def _seen(power: int) -> native.Seen:
    """Room for 2 ** power states.

    Raises:
        MemoryError: there is not enough, or the states' numbers exceed those of parents.
    """
    if power > _PARENT_BITS:
        raise MemoryError
    queue, parents = np.empty(1 << power, np.uint64), np.empty(1 << power, np.uint32)
    return native.Seen(queue, parents, np.zeros(2 << power, np.uint64), 63 - power)


def _sums(counts: Iterable[int]) -> npt.NDArray[np.int64]:
    """The number of elements before each, and finally the total."""
    return np.array([0, *itertools.accumulate(counts)], np.int64)
