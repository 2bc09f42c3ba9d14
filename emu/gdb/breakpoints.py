# SPDX-License-Identifier: GPL-2.0-only
"""GDB's breakpoints and watchpoints as stops of the machine. They change nothing in the guest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from emu.history.stops import Breakpoint, Stop, Watchpoint
from emu.history.travel import Travel

__all__ = ["Breakpoints", "more_stops"]

_WATCHED = {2: ("watch", False, True), 3: ("rwatch", True, False), 4: ("awatch", True, True)}
_MOST_BYTES = 1 << 20  # of a watchpoint


@contextmanager
def more_stops(travel: Travel, stops: Iterable[Stop]) -> Iterator[None]:
    """A context in which a machine has more stops."""
    new = [stop for stop in stops if stop not in travel.stops]
    travel.add(*new)
    try:
        yield
    finally:
        travel.remove(*new)


class Breakpoints:
    """The breakpoints of a client. They are set where the machine goes on, not where the client inserts and removes them.

    Args:
        travel: the machine.
        cpus: how many CPUs it has.
        own: addresses at which the machine stops for the server itself.
    """

    def __init__(self, travel: Travel, cpus: int, own: Iterable[int] = ()) -> None:
        self._travel, self._cpus = travel, cpus
        self._own: frozenset[Stop] = frozenset(Breakpoint(address) for address in own)
        self._inserted: dict[Stop, str] = {}
        self._latest: set[Stop] = set()  # inserted when all CPUs went on last
        self._set: set[Stop] = set()  # those of the machine that are GDB's

    def kind(self, stop: Stop) -> str | None:
        """What GDB knows a stop as: swbreak, hwbreak, watch, rwatch or awatch; None: GDB has not inserted it."""
        if (kind := self._inserted.get(stop)) is not None:
            return kind
        return "swbreak" if stop in self._set - self._own else None

    def insert(self, number: int, address: int, size: int) -> bool:
        """Inserts a breakpoint of a type's number in the packet Z. Returns False if there is no such type.

        Raises:
            ValueError: a watchpoint watches too little or too much.
        """
        found = self._stop(number, address, size)
        if found is None:
            return False
        stop, kind = found
        self._inserted[stop] = kind
        return True

    def remove(self, number: int, address: int, size: int) -> bool:
        """Removes it. Returns False if there is no such type."""
        found = self._stop(number, address, size)
        if found is None:
            return False
        self._inserted.pop(found[0], None)
        return True

    def apply(self, alone: int | None) -> None:
        """Sets the stops: the machine is about to go on.

        Args:
            alone: the index of the CPU that makes a step while GDB believes that the others stand. GDB has removed the breakpoint
                from which it steps. It stays for the others, which run all the same.
        """
        wanted: set[Stop] = set(self._inserted)
        if alone is None:
            self._latest = set(wanted)
        for stop in self._latest - wanted:
            if isinstance(stop, Breakpoint):
                wanted |= {Breakpoint(stop.address, cpu) for cpu in range(self._cpus) if cpu != alone}
        self._become(wanted | self._own)

    def clear(self) -> None:
        """Removes all."""
        self._inserted.clear()
        self._latest.clear()
        self._become(set())

    def _become(self, wanted: set[Stop]) -> None:
        self._travel.remove(*(self._set - wanted))
        self._travel.add(*(wanted - self._set))
        self._set = wanted

    def _stop(self, number: int, address: int, size: int) -> tuple[Stop, str] | None:
        if number in (0, 1):
            return Breakpoint(address), ("swbreak", "hwbreak")[number]
        if number not in _WATCHED:
            return None
        if not 0 < size <= _MOST_BYTES:
            raise ValueError(f"a watchpoint of {size} bytes")
        kind, reads, writes = _WATCHED[number]
        return Watchpoint(address, size, reads=reads, writes=writes), kind
