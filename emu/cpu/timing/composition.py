# SPDX-License-Identifier: GPL-2.0-only
"""Composes blocks in plain Python: the same as native code (`emu.cpu.native.timing.compose`), block by block.

* The core accepts a block's instructions in order, as fast as dispatch and ports allow.
* A register written by the block is ready when all of its inputs are, plus its latency: registers carry times.
* Stores leave the store queue later. If too many wait there, nothing is dispatched.
* Fetching is ahead of dispatch, unless it takes longer. A taken branch ends the fetching of a cycle. A mispredicted
  branch is detected when it has been executed.
* A serialising instruction waits until everything before it is done.
* Nothing is dispatched before the instructions one window earlier have retired.
"""

from __future__ import annotations

from collections.abc import Iterable

from emu.cpu.native.timing.record import AHEAD_STEP, BRANCHED, REGISTERS, RETIRED, RING, STORES
from emu.cpu.timing import CYCLE, BlockSummary
from emu.cpu.timing.core import Core

__all__ = ["AS_EXPECTED", "MISPREDICTED", "RETURNED", "TAKEN", "TURNED", "Composition"]

AS_EXPECTED, TAKEN, RETURNED, TURNED, MISPREDICTED = range(5)  # the outcomes of a block


class Composition:
    """The core's state. Times are in parts of a cycle."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.issue = 0
        self.retire = 0
        self._branch = 0
        self._ahead = 0
        self._ready = [0] * REGISTERS
        self._slots = 0
        self._window: dict[int, int] = {}

    def block(self, summary: BlockSummary, outcome: int = AS_EXPECTED, front: int = 0, data: int = 0, late: int = 0) -> None:
        """Starts a block.

        Args:
            summary: the block's summary.
            outcome: the previous block's outcome.
            front: the delay of its instructions.
            data: the delay of its slowest data.
            late: the delay of the previous block's retirement; `delay` handles the rest.
        """
        core = self._core
        retire, at = max(self.retire, self.issue + late), self.issue
        if outcome in (TAKEN, RETURNED):
            fetched = core.predictor.return_each if outcome == RETURNED else core.taken_each
            stalled = max(core.taken_loss, fetched - self._ahead)
            at += stalled
            self._ahead = max(self._ahead + stalled - fetched, 0)
        elif outcome != AS_EXPECTED:
            known = max(at, self._branch) + core.predictor.mispredict
            at = known if outcome == MISPREDICTED else at + core.taken_each + core.predictor.resteer
            self._ahead = 0
        at += front
        fetching = at
        at = max(at, self._ready[STORES] - core.store_room)
        if summary.serialising:
            at = max(at, retire) + summary.serialising * CYCLE
        fast = core.window * CYCLE // core.width  # the window cannot be full before that
        slow = retire > at + fast
        if slow:
            self._slots = (self._slots or 1 << 20) + summary.slots
            behind = max(core.window, summary.slots)  # a block that is longer waits for everything before it
            at = max(at, self._window.get(self._slots - behind >> 3, 0))
        times = {}
        for output in summary.outputs:
            time = max([at + output.base] + [self._ready[source] + latency for source, latency in output.inputs])
            times[output.register] = time + (data if output.loads else 0)
        done, self._branch = times.pop(RETIRED, at), times.pop(BRANCHED, at)
        for register, time in times.items():
            self._ready[register] = time
        self.issue = at + summary.dispatch
        self._ahead = min(self._ahead + self.issue - fetching, core.ahead) // AHEAD_STEP * AHEAD_STEP
        self.retire = max(retire, done, self.issue)
        if slow:
            for entry in range(max(self._slots - summary.slots >> 3, (self._slots >> 3) - RING + 1), (self._slots >> 3) + 1):
                self._window[entry] = self.retire
        if not slow or self.retire <= self.issue + fast:
            self._slots, self._window = 0, {}

    def delay(self, before: BlockSummary, late: int) -> None:
        """The loads of the last block, `before`, are `late`: their addresses were unknown when it began."""
        for register in (output.register for output in before.outputs if output.loads):
            if register == BRANCHED:
                self._branch = max(self._branch, self.issue) + late
                self.retire = max(self.retire, self._branch)
            elif register != RETIRED:
                self._ready[register] = max(self._ready[register], self.issue) + late
                self.retire = max(self.retire, self._ready[register])

    def cycles_of(self, blocks: Iterable[BlockSummary], repetitions: int = 24) -> float:
        """The cycles per run of a sequence of blocks that is repeated, with expected outcomes."""
        row = list(blocks)
        self._ready[STORES] = self.issue + self._core.store_room  # what the sequence itself does not empty stays full
        for _ in range(repetitions // 3):
            for summary in row:
                self.block(summary)
        begin = self.retire
        for _ in range(repetitions - repetitions // 3):
            for summary in row:
                self.block(summary)
        return (self.retire - begin) / CYCLE / (repetitions - repetitions // 3)
