# SPDX-License-Identifier: GPL-2.0-only
"""Where a machine stands in its history."""

from __future__ import annotations

from emu.cpu.board import Board
from emu.history.replay import Replay
from emu.history.stops import Instant

__all__ = ["Standing"]


class Standing:
    """Args, and attributes:
        replay: goes to instants.
        board: the machine's board.
    """

    def __init__(self, replay: Replay, board: Board) -> None:
        self.replay, self.board = replay, board
        self._last, self._branch = replay.now, 0

    @property
    def now(self) -> Instant:
        """The present instant."""
        return self.replay.now

    @property
    def first(self) -> Instant:
        """The earliest instant that the machine can go back to."""
        return self.replay.points.first.instant

    @property
    def last(self) -> Instant:
        """The latest instant that has been reached in this branch: until there, nothing is emitted again."""
        return max(self._last, self.now)

    @property
    def nanoseconds(self) -> int:
        """Virtual time of the CPU whose turn it is."""
        return self.board.nanoseconds(self.board.current.cycles)

    @property
    def cpu(self) -> int:
        """The index of the CPU whose turn it is."""
        return self.board.current.index

    @property
    def branch(self) -> int:
        """How often the past was changed: see `changing`."""
        return self._branch
