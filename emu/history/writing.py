# SPDX-License-Identifier: GPL-2.0-only
"""What the guest writes to its console: it is passed on once, however often that part of the run is executed."""

from __future__ import annotations

from collections.abc import Callable

from emu.history.replay import Replay

__all__ = ["Writing"]


class Writing:
    """Passes on what a guest writes.

    Attributes:
        replay: the machine.
    """

    replay: Replay
    _emitted = 0  # bytes that were passed on

    def _write(self, console: Callable[[bytes], object], data: bytes) -> None:
        """The guest writes: what it has not written before is passed on, or withheld (Replay.looking_ahead)."""
        replay = self.replay
        at = replay.produced
        replay.produced += len(data)
        if replay.looks_ahead:
            replay.withheld.append((console, at, data))
        else:
            self._pass_on(console, at, data)

    def _pass_on(self, console: Callable[[bytes], object], at: int, data: bytes) -> None:
        if new := data[max(self._emitted - at, 0) :]:
            self._emitted = at + len(data)
            console(new)

    def _pass_on_withheld(self) -> None:
        """The run has come to the present: what was written before it is passed on."""
        for console, at, data in self.replay.withheld:
            self._pass_on(console, at, data[: max(self.replay.produced - at, 0)])
