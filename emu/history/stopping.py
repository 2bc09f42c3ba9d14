# SPDX-License-Identifier: GPL-2.0-only
"""The stops of a machine, as native code sees them."""

from __future__ import annotations

from collections.abc import Mapping

from emu.cpu.board import Board
from emu.cpu.callouts import Listening
from emu.cpu.native.history import at_breakpoint
from emu.cpu.native.history_record import ANY, WATCHES, History, Watch
from emu.history.stops import Breakpoint, Stop, TakenTrap, Watchpoint

__all__ = ["Stopping"]

_LAST = 0xFFFF_FFFF_FFFF_FFFF


class Stopping:
    """The stops that are wanted, and those that the machine has now: going back brings earlier ones.

    Args:
        board: the board.
        history: its record.

    Attributes:
        wanted: the stops.
        listening: the breakpoints that are part of the machine, with what ends them.
        watches: the watchpoints that are part of it.
    """

    def __init__(self, board: Board, history: History) -> None:
        self._board, self._history = board, history
        self._records: dict[Stop, Watch] = {}
        self.wanted: set[Stop] = set()
        self.listening: dict[Breakpoint, Listening] = {}
        self.watches: frozenset[Watchpoint] = frozenset()
        self._seen: dict[Watchpoint, bytes] = {}
        self._written: set[Watchpoint] = set()
        board.on_write = self.writes_code

    def check(self, stop: Stop) -> None:
        """Raises ValueError if a stop cannot be added."""
        if stop.cpu is not None and not 0 <= stop.cpu < len(self._board.cpus):
            raise ValueError(f"CPU {stop.cpu}: there are {len(self._board.cpus)}")
        if isinstance(stop, Watchpoint) and (stop.size < 1 or not (stop.reads or stop.writes)):
            raise ValueError("a watchpoint watches reads or writes of at least one byte")
        if not isinstance(stop, Breakpoint) and len(self.wanted - self.breakpoints - {stop}) == WATCHES:
            raise ValueError(f"{WATCHES} watchpoints are the most")

    @property
    def breakpoints(self) -> set[Breakpoint]:
        """The breakpoints that are wanted."""
        return {stop for stop in self.wanted if isinstance(stop, Breakpoint)}

    def went_back(self, listening: Mapping[Breakpoint, Listening], watches: frozenset[Watchpoint]) -> None:
        """The machine is at an earlier state, with the stops of that time."""
        self.listening, self.watches = dict(listening), watches
        self.put_in_force()

    def put_in_force(self) -> None:
        """Gives the machine the stops that are wanted."""
        wanted = self.breakpoints
        callouts = self._board.callouts
        for old in self.listening.keys() - wanted:
            callouts.unlisten(self.listening.pop(old))
        for new in sorted(wanted - self.listening.keys(), key=lambda one: (one.address, -1 if one.cpu is None else one.cpu)):
            self.listening[new] = callouts.listen(new.address, at_breakpoint, self._record(new).address)
        watches = frozenset(stop for stop in self.wanted if isinstance(stop, Watchpoint))
        traps = frozenset(stop for stop in self.wanted if isinstance(stop, TakenTrap))
        records = [*map(self._record, watches), *map(self._record, traps)]
        for n, record in enumerate(records):
            self._history.watches[n] = record.address
        self._history.watch_count, self._history.trap_count = len(watches), len(traps)
        if watches != self.watches:
            self.watches = watches
            watching = self._board.arch.native().watching
            if watching is not None:
                for cpu in self._board.cpus:
                    watching.mark(cpu.record, self._history)

    def _record(self, stop: Stop) -> Watch:
        if stop not in self._records:
            record = self._records[stop] = Watch.allocate()
            record.cpu = int(ANY) if stop.cpu is None else stop.cpu
            if isinstance(stop, Breakpoint):
                record.first = record.last = stop.address
            elif isinstance(stop, Watchpoint):
                record.first, record.last = stop.address, min(stop.address + stop.size - 1, _LAST)
                record.physical, record.reads, record.writes = stop.physical, stop.reads, stop.writes
        return self._records[stop]

    def at(self, record: int, address: int, cpu: int) -> tuple[Stop, ...]:
        """The stops that a CPU is at: the one with a record's address, or the breakpoints at an address."""
        noted = next((stop for stop, one in self._records.items() if one.address == record), None)
        if isinstance(noted, Watchpoint | TakenTrap):
            return (noted,)
        found = (stop for stop in self.wanted if isinstance(stop, Breakpoint))
        return tuple(stop for stop in found if stop.address == address and stop.cpu in (None, cpu))

    # The host's writes

    def look(self) -> None:
        """Notes what is in memory whose writes are watched: what changes from now on, the host writes."""
        self._seen = {watch: self._contents(watch) for watch in self.watches if watch.writes}
        self._written.clear()

    def host_wrote(self) -> Watchpoint | None:
        """A watchpoint whose memory the host has written to since the last look; None: it has not."""
        for watch in self.watches:
            if watch.writes and (watch in self._written or self._contents(watch) != self._seen.get(watch, b"")):
                return watch
        return None

    def writes_code(self, address: int, size: int) -> None:
        """The host writes code, perhaps what is there already."""
        for watch in self.watches:
            place = self._place(watch)
            if watch.writes and place is not None and place < address + size and address < place + watch.size:
                self._written.add(watch)

    def _place(self, watch: Watchpoint) -> int | None:
        return watch.address if watch.physical else self._board.place(watch.address)

    def _contents(self, watch: Watchpoint) -> bytes:
        place = self._place(watch)
        return b"" if place is None else bytes(self._board.ram[place : place + watch.size])
