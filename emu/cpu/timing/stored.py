# SPDX-License-Identifier: GPL-2.0-only
"""Tracks the stores of a block, and when a load has its data: from the cache, or from an earlier store.

Memory places are distinguished by the form of their addresses. Places that a block both loads and stores, so that its next
repetition depends on them, have pseudo-registers: `FIRST_PLACE` and the next ones, each for several places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from emu.cpu.native.timing.record import FIRST_PLACE, PLACES
from emu.cpu.timing import CYCLE, Access
from emu.cpu.timing.addresses import Named
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import ABSOLUTE, Instruction, Place
from emu.cpu.timing.times import NOW, Time, after, join, ready

__all__ = ["Loaded", "Stored"]

_WORD = 4  # bytes: caches are written in units of a word
_Base = tuple[int, int, int, int, int, int]
_Where = tuple[int, int, int, int, int]  # registers at the block's beginning or end, and a constant


class Loaded(NamedTuple):
    """The result of a load."""

    time: Time
    from_memory: bool  # whether it depends on the memory contents at the block's beginning


class _Store(NamedTuple):
    begin: int  # offset from the base
    end: int
    time: Time
    from_memory: bool


class Stored:
    """The stores of a block so far.

    Args:
        core: the CPU model.
        named: the places accessed by each instruction of the block.

    Attributes:
        blocked: cycles that a load waits for a store with a part of its data to leave the store queue; 0: none.
    """

    def __init__(self, core: Core, named: Sequence[Sequence[Named]]) -> None:
        self._core = core
        self._stores: dict[_Base, list[_Store]] = {}
        self._versions: dict[int, int] = {}
        self._stack = 0
        exits = (found.at_exit for places in named for found in places if found.write)
        left = {_where(access) for access in exits if access is not None and not access.locked}
        if left:
            left &= {_where(found.at_entry) for places in named for found in places if found.at_entry}
        self._repeated = left
        self._loaded: set[_Where] = set()  # places among these that are loaded before they are stored
        self._last: dict[_Where, Loaded] = {}  # the values that the block leaves there
        self._parts: set[_Where] = set()  # places in which less than a word is stored
        self.blocked = 0

    def load(self, found: Named, vector: bool, address: Time) -> Loaded:
        """The result of a load whose address is known at time `address`, to a vector register or another one."""
        core, place = self._core, found.place
        from_cache = after(address, _latency(place, vector, core) * CYCLE)
        forward = core.forward_vector if vector else core.forward
        renamed = place.base in core.renamed and place.scaled == ABSOLUTE and place.size >= _WORD and not vector
        if self._stores:
            base, begin = self._name(place)
            for store in reversed(self._stores.get(base, ())):
                if store.begin <= begin and begin + place.size <= store.end:
                    if renamed and store.begin == begin:
                        return Loaded(store.time, store.from_memory)
                    return Loaded(join(after(store.time, forward * CYCLE), from_cache), store.from_memory)
                if store.begin < begin + place.size and begin < store.end:
                    self.blocked = core.forward_failed
                    return Loaded(join(store.time, from_cache), store.from_memory)
        if self._repeated and found.at_entry and (where := _where(found.at_entry)) in self._repeated:
            self._loaded.add(where)
            stored = ready(_register(where))
            if renamed:
                return Loaded(stored, True)
            learned = place.size >= _WORD and not vector
            return Loaded(join(after(stored, (core.forward_learned if learned else forward) * CYCLE), from_cache), True)
        return Loaded(from_cache, True)

    def execute(self, instruction: Instruction, places: Sequence[Named], done: Time, from_memory: bool) -> None:
        """An instruction is done at `done`: records its stores, and that it changes registers."""
        for found in places:
            if found.write:
                base, begin = self._name(found.place)
                self._stores.setdefault(base, []).append(_Store(begin, begin + found.place.size, done, from_memory))
                if self._repeated and found.at_exit and (where := _where(found.at_exit)) in self._repeated:
                    self._last[where] = Loaded(done, from_memory)
                    if found.place.size < _WORD:
                        self._parts.add(where)
        for register in instruction.writes:
            self._versions[register] = self._versions.get(register, 0) + 1
        self._stack += instruction.stack

    def left(self, runs: int) -> Iterator[tuple[int, Loaded]]:
        """The pseudo-registers of memory places, with the values that the block leaves there.

        Args:
            runs: the number of groups of the block's stores that leave the store queue together.
        """
        core = self._core
        made: dict[int, Loaded] = {}
        for where in sorted(self._loaded | self._parts):
            register = _register(where)
            time, from_memory = made.get(register, Loaded(NOW, False))
            if where in self._loaded:
                time, from_memory = join(time, self._last[where].time), from_memory or self._last[where].from_memory
            if where in self._parts and 1 < runs <= core.modify_runs:
                time = join(time, after(ready(register), (runs - 1 + core.modify_store) * CYCLE))
            made[register] = Loaded(time, from_memory)
        yield from made.items()

    def _name(self, place: Place) -> tuple[_Base, int]:
        """A name for an address within the block, distinguishing addresses with different registers; and the offset from it."""
        versions = self._versions
        base, scaled = place.base, place.scaled
        name = base, versions.get(base, 0), scaled, versions.get(scaled, 0), place.scale, place.segment
        return name, place.displacement + (self._stack if self._core.registers.stack_pointer in (base, scaled) else 0)


def _latency(place: Place, vector: bool, core: Core) -> int:
    if vector:
        return core.load_vector
    simple = place.scaled == ABSOLUTE or (place.scale == 1 and (place.base == ABSOLUTE or place.displacement == 0))
    return core.load + (0 if simple else core.load_complex)


def _where(access: Access) -> _Where:
    return access.base, access.scaled, access.shift, access.displacement, access.segment


def _register(where: _Where) -> int:
    """The pseudo-register of a place, which other places may share."""
    return FIRST_PLACE + (where[3] // _WORD + where[0] + 3 * where[1]) % PLACES
