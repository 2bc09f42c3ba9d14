# SPDX-License-Identifier: GPL-2.0-only
"""Coherent caches of several CPUs, and the cost of each access."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum

from emu.cpu.timing.core import Cache, Caches

__all__ = ["Coherent", "Cpu", "Sets", "State"]

_PAGE = 64  # lines
_STREAMS = 16  # pages that the prefetcher tracks


class State(Enum):
    """The state of a line in a data cache. Other caches have no states: their lines are SHARED."""

    SHARED = 1
    EXCLUSIVE = 2
    MODIFIED = 3


class Sets:
    """A cache, or a TLB: the keys in each set, the most recently used first."""

    def __init__(self, shape: Cache) -> None:
        self._ways = shape.ways
        self.sets: list[dict[int, State]] = [{} for _ in range(shape.sets)]  # least recently used first

    def _set(self, line: int) -> dict[int, State]:
        return self.sets[line % len(self.sets)]

    def __contains__(self, line: int) -> bool:
        return line in self._set(line)

    def state(self, line: int) -> State | None:
        return self._set(line).get(line)

    def use(self, line: int) -> bool:
        """Whether the line is present. Marks it as most recently used."""
        lines = self._set(line)
        if line not in lines:
            return False
        lines[line] = lines.pop(line)
        return True

    def put(self, line: int, state: State) -> int | None:
        """Adds a line, or changes its state; it is the most recently used one. Returns the evicted line."""
        lines = self._set(line)
        lines.pop(line, None)
        lines[line] = state
        if len(lines) <= self._ways:
            return None
        oldest = next(iter(lines))
        del lines[oldest]
        return oldest

    def change(self, line: int, state: State | None) -> None:
        """Changes the state of a line if it is present; None: removes it."""
        lines = self._set(line)
        if line in lines and state is None:
            del lines[line]
        elif line in lines and state is not None:
            lines[line] = state

    def lines(self) -> dict[int, State]:
        """All lines."""
        return {line: state for lines in self.sets for line, state in lines.items()}


class Cpu:
    """One CPU's caches and counters, and the pages that its prefetcher tracks."""

    def __init__(self, core: Caches) -> None:
        self.l1i, self.l1d, self.l2 = Sets(core.l1i), Sets(core.l1d), Sets(core.l2)
        self.streams: dict[int, int] = {}  # by page modulo _STREAMS: the line of the last miss
        self.counts: Counter[str] = Counter()

    def lose(self, line: int) -> None:
        for cache in (self.l1i, self.l1d, self.l2):
            cache.change(line, None)

    def streams_to(self, line: int) -> bool:
        """Whether the prefetcher has the line, because an adjacent one was accessed before."""
        last = self.streams.get(line // _PAGE % _STREAMS)
        self.streams[line // _PAGE % _STREAMS] = line
        return last is not None and last // _PAGE == line // _PAGE and line - last in (1, -1)


class Coherent:
    """The caches of a board.

    Attributes:
        cpus: the private caches.
        llc: the cache that they share, also with others outside the machine.
        used: when a line in it was last used.
        now: the time, in units of 65,536 cycles.
        owners: by line, the CPU that may write it without asking.
    """

    def __init__(self, core: Caches, cpus: int) -> None:
        self._core = core
        self.cpus = [Cpu(core) for _ in range(cpus)]
        self.llc = Sets(core.llc)
        self.used: dict[int, int] = {}
        self.now = 0
        self.owners: dict[int, int] = {}

    def sharers(self, line: int) -> set[int]:
        """The CPUs that have a line."""
        return {index for index, cpu in enumerate(self.cpus) if line in cpu.l2}

    def access(self, me: int, line: int, write: bool) -> int:
        """A data access. Returns its cycles beyond an L1 hit."""
        cpu, core = self.cpus[me], self._core
        if cpu.l1d.use(line):
            if not write:
                return 0
            if cpu.l1d.state(line) is not State.SHARED:
                cpu.l1d.change(line, State.MODIFIED)
                return 0
            return self._get(me, line, lambda: self._write(me, line))
        cpu.counts["L1-dcache-store-misses" if write else "L1-dcache-load-misses"] += 1
        expected = cpu.streams_to(line)
        latency = self._get(me, line, lambda: self._write(me, line) if write else self._read(me, line))
        if expected and latency > core.l2_hit and latency != core.transfer:
            cpu.counts["prefetches"] += 1
            return core.l2_hit
        return latency

    def fetch(self, me: int, line: int) -> int:
        """The same for a line of instructions."""
        cpu = self.cpus[me]
        cpu.counts["L1-icache-loads"] += 1
        if cpu.l1i.use(line):
            return 0
        cpu.counts["L1-icache-load-misses"] += 1
        return self._get(me, line, lambda: self._read_code(me, line))

    def lose(self, line: int) -> None:
        """The line was written by something other than a CPU."""
        for cpu in self.cpus:
            cpu.lose(line)
        self.owners.pop(line, None)

    def _get(self, me: int, line: int, have: Callable[[], bool]) -> int:
        """Gets a line into the L2, and then into an L1. `have` returns whether others had to be notified."""
        owner = self.owners.get(line, me)
        if owner != me:
            self.cpus[me].counts["coherence-transfers"] += 1
            have()
            self._below(me, line)
            return self._core.transfer
        latency = self._below(me, line)
        if have():
            self.cpus[me].counts["coherence-upgrades"] += 1
            return max(latency, self._core.upgrade)
        return latency

    def _below(self, me: int, line: int) -> int:
        """Gets the line from the L2, the last level or memory."""
        cpu, core = self.cpus[me], self._core
        if cpu.l2.use(line):
            return core.l2_hit
        cpu.counts["l2-misses"] += 1
        dropped = cpu.l2.put(line, State.SHARED)
        if dropped is not None:
            cpu.lose(dropped)
            if self.owners.get(dropped) == me:
                del self.owners[dropped]
        cpu.counts["LLC-loads"] += 1
        before, self.used[line] = self.used.get(line), self.now
        if self.llc.use(line) and before is not None and self.now - before <= core.llc_kept >> 16:
            return core.llc_hit
        cpu.counts["LLC-load-misses"] += 1
        self.llc.put(line, State.SHARED)
        return core.memory

    def _others(self, me: int, line: int) -> list[Cpu]:
        return [cpu for index, cpu in enumerate(self.cpus) if index != me and line in cpu.l2]

    def _write(self, me: int, line: int) -> bool:
        """All others lose the line, and instruction caches lose it."""
        others = self._others(me, line)
        for cpu in others:
            cpu.lose(line)
        cpu = self.cpus[me]
        cpu.l1i.change(line, None)
        cpu.l1d.put(line, State.MODIFIED)
        self.owners[line] = me
        return bool(others)

    def _read(self, me: int, line: int) -> bool:
        cpu, others = self.cpus[me], self._others(me, line)
        for other in others:
            other.l1d.change(line, State.SHARED)
        if others or line in cpu.l1i:
            self.owners.pop(line, None)
            cpu.l1d.put(line, State.SHARED)
        else:
            self.owners[line] = me
            cpu.l1d.put(line, State.EXCLUSIVE)
        return False

    def _read_code(self, me: int, line: int) -> bool:
        """Whichever CPU writes the line next must notify the others, even if it is this one."""
        for cpu in self.cpus:
            cpu.l1d.change(line, State.SHARED)
        self.owners.pop(line, None)
        self.cpus[me].l1i.put(line, State.SHARED)
        return False
