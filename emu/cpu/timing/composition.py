# SPDX-License-Identifier: GPL-2.0-only
"""Composing blocks, in plain Python: what native code does (`emu.cpu.native.timing.compose`), block by block.

* The core takes a block's instructions in as fast as dispatch and ports allow, in order.
* What the block writes is there when all that it needs is, and its latency has passed: registers carry times.
* Stores leave the store queue later than that. If too many wait there, nothing is dispatched.
* Fetching is ahead of that, unless it takes longer. A taken branch ends what is fetched in a cycle. One that was predicted
  wrongly is known when it has been executed.
* A serialising instruction waits until all before it is done.
* Nothing is dispatched before what came a whole window earlier has retired.
"""

from __future__ import annotations

from collections.abc import Iterable

from emu.cpu.native.timing.record import AHEAD_STEP, BRANCHED, REGISTERS, RETIRED, RING, STORES
from emu.cpu.timing import CYCLE, BlockSummary
from emu.cpu.timing.core import Core

__all__ = ["AS_EXPECTED", "MISPREDICTED", "RETURNED", "TAKEN", "TURNED", "Composition"]

AS_EXPECTED, TAKEN, RETURNED, TURNED, MISPREDICTED = range(5)  # how a block goes on


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
        """A block begins.

        Args:
            summary: of the block.
            outcome: how the block before went on.
            front: by how much its instructions come late.
            data: by how much its slowest data come late.
            late: by how much the block before retires late; `delay` is for the rest.
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
            behind = max(core.window, summary.slots)  # a block that is longer waits for all before it
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
        """What the last block, which was `before`, has loaded comes `late`: its addresses were not known when it began."""
        for register in (output.register for output in before.outputs if output.loads):
            if register == BRANCHED:
                self._branch = max(self._branch, self.issue) + late
                self.retire = max(self.retire, self._branch)
            elif register != RETIRED:
                self._ready[register] = max(self._ready[register], self.issue) + late
                self.retire = max(self.retire, self._ready[register])

    def cycles_of(self, blocks: Iterable[BlockSummary], repetitions: int = 24) -> float:
        """Cycles that a row of blocks takes in the long run, if it is repeated and goes on as expected."""
        row = list(blocks)
        self._ready[STORES] = self.issue + self._core.store_room  # what the row itself does not empty stays full
        for _ in range(repetitions // 3):
            for summary in row:
                self.block(summary)
        begin = self.retire
        for _ in range(repetitions - repetitions // 3):
            for summary in row:
                self.block(summary)
        return (self.retire - begin) / CYCLE / (repetitions - repetitions // 3)
