# SPDX-License-Identifier: GPL-2.0-only
"""The checkpoints of a history, in the order of the run, within a budget of memory."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from emu.cpu.callouts import Listening
from emu.cpu.snapshot import Checkpoint, base_sizes
from emu.history.stops import Breakpoint, Instant, Watchpoint

__all__ = ["Point", "Points"]


@dataclass(frozen=True, eq=False)
class Point:
    """A checkpoint.

    Attributes:
        instant: what is executed next comes at it or after it.
        checkpoint: the machine.
        turns: that have begun.
        instructions: of each CPU.
        time: the clock of the CPU that runs first from here, in cycles.
        produced: bytes that the guest had written.
        outside: calls that the journal had.
        listening, watches: the stops that are part of the machine there.
        patching: as Driver.patching: from there, the run is the same only with the same breakpoints.
        anchor: whether the machine was changed just before, so that it cannot be reached from an earlier point.
    """

    instant: Instant
    checkpoint: Checkpoint
    turns: int
    instructions: tuple[int, ...]
    time: int
    produced: int
    outside: int
    listening: Mapping[Breakpoint, Listening]
    watches: frozenset[Watchpoint]
    patching: bool = field(default=False)
    anchor: bool = field(default=False)


class Points:
    """Points in ascending order.

    Args:
        budget: bytes that their checkpoints may hold.
        is_usable: whether the run goes on from a point as it did. The others are passed over.

    Attributes:
        budget: as in Args; it may be changed.
    """

    def __init__(self, budget: int, is_usable: Callable[[Point], bool]) -> None:
        self.budget, self._is_usable = budget, is_usable
        self._points: list[Point] = []

    def __len__(self) -> int:
        return len(self._points)

    @property
    def first(self) -> Point:
        """The earliest."""
        return self._points[0]

    @property
    def size(self) -> int:
        """Bytes that they hold."""
        checkpoints = [point.checkpoint for point in self._points]
        return sum(one.size for one in checkpoints) + sum(base_sizes(checkpoints).values())

    def add(self, point: Point) -> None:
        """Adds a point unless there is one at the instant. Drops others if there are too many bytes."""
        place = bisect.bisect_right(self._points, point.instant, key=lambda one: one.instant)
        if not point.anchor and place and self._points[place - 1].instant == point.instant:
            return
        self._points.insert(place, point)
        while self.size > self.budget and len(self._points) > 3:
            self._drop()

    def _drop(self) -> None:
        """Drops the point that is missed least: one whose neighbours are near, seen from the end. Anchors go last.

        If it is what points share that holds most, those that share with the last one stay.
        """
        end, last = self._points[-1].turns, self._points[-1].checkpoint.base
        bases = base_sizes(point.checkpoint for point in self._points)
        crowded = sum(bases.values()) > self.budget // 2 and len(bases) > 1
        found: tuple[float, int] | None = None
        for n in range(1, len(self._points) - 1):
            if not self._points[n].anchor and not (crowded and self._points[n].checkpoint.base == last):
                gap = self._points[n + 1].turns - self._points[n - 1].turns
                weight = gap / (end - self._points[n].turns + 1)
                if found is None or weight < found[0]:
                    found = weight, n
        if found is not None:
            del self._points[found[1]]
        else:
            del self._points[0]

    def cut(self, instant: Instant) -> bool:
        """Drops all points after an instant. Returns whether there were any."""
        place = bisect.bisect_right(self._points, instant, key=lambda one: one.instant)
        later = self._points[place:]
        del self._points[place:]
        return bool(later)

    def before(self, instant: Instant) -> Point | None:
        """The last point at or before an instant; None: the history begins later."""
        place = bisect.bisect_right(self._points, instant, key=lambda one: one.instant)
        return self._usable(self._points[:place])

    def last_before(self, instant: Instant) -> Point | None:
        """The last point before an instant."""
        place = bisect.bisect_left(self._points, instant, key=lambda one: one.instant)
        return self._usable(self._points[:place])

    def _usable(self, points: Sequence[Point]) -> Point | None:
        """The last of them that can be used."""
        return next((one for one in reversed(points) if self._is_usable(one)), None)

    def with_fewer(self, cpu: int, instructions: int, until: Instant) -> Point | None:
        """The last point up to an instant at which a CPU had started at most so many instructions."""
        return self._usable([one for one in self._points if one.instant <= until and one.instructions[cpu] <= instructions])

    def at_time(self, cycles: int) -> Point | None:
        """The last point whose time is at most a time, in cycles."""
        return self._usable([one for one in self._points if one.time <= cycles])

    def next_anchor(self, point: Point | None) -> Point | None:
        """The first anchor behind a point, or at its instant but later; None: there is none."""
        if point is None:
            return None
        if point in self._points:
            place = self._points.index(point) + 1
        else:  # one that was not kept: anchors at its instant come before it
            place = bisect.bisect_right(self._points, point.instant, key=lambda one: one.instant)
        return next((one for one in self._points[place:] if one.anchor), None)
