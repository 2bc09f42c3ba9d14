# SPDX-License-Identifier: GPL-2.0-only
"""Counts what a machine's CPUs do while a program runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from emu.cpu.board import Board
from emu.cpu.timing.events import counted, counts

if TYPE_CHECKING:
    from emu.kernel.profile import Profile

__all__ = ["Counting"]


class Counting:
    """Counts while its body runs. The values are those at the body's end or, within it, the present ones.

    >>> with m.counting() as counts:
    ...     m.run("ls /bin")
    >>> counts["cycles"], counts.of_cpu(0)["cycles"], counts.nanoseconds

    Args:
        board: the board with the CPUs.
        profile: counts for each function; None: not done.

    Attributes:
        events: the names of the counters. They depend on the timing model.
    """

    def __init__(self, board: Board, profile: Profile | None) -> None:
        self.events: Sequence[str] = counted(board.timing_model.timing)
        self._board = board
        self._profile = profile
        self._before = self._now()
        self._after: tuple[int, list[Mapping[str, int]]] | None = None
        self._rows: Mapping[str, Mapping[str, int]] | None = None

    def __enter__(self) -> Self:
        self._before = self._now()
        if self._profile is not None:
            self._profile.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._after = self._now()
        if self._profile is not None:
            self._profile.stop()
            self._rows = self._profile.rows()

    def _now(self) -> tuple[int, list[Mapping[str, int]]]:
        return self._board.now, [counts(cpu) for cpu in self._board.cpus]

    def of_cpu(self, index: int) -> Mapping[str, int]:
        """The counts of one CPU, by event."""
        before, after = self._before[1][index], (self._after or self._now())[1][index]
        return {event: after[event] - before[event] for event in self.events}

    def __getitem__(self, event: str) -> int:
        """The count of an event on all CPUs.

        Raises:
            KeyError: the timing model does not count the event.
        """
        return sum(self.of_cpu(index)[event] for index in range(len(self._before[1])))

    @property
    def nanoseconds(self) -> int:
        """The virtual time that has passed."""
        return self._board.nanoseconds((self._after or self._now())[0] - self._before[0])

    @property
    def functions(self) -> Mapping[str, Mapping[str, int]]:
        """The counts of each function, by name and event: see `Profile.rows`.

        Raises:
            ValueError: functions are not being counted.
        """
        if self._profile is None:
            raise ValueError("functions are counted if counting(functions=True) asks for it")
        return self._profile.rows() if self._rows is None else self._rows
