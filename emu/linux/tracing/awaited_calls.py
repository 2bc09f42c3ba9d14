# SPDX-License-Identifier: GPL-2.0-only
"""The calls under way whose returns probes await: those of kprobes and of uprobes."""

from __future__ import annotations

from emu.cpu.callouts import Callouts
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native.awaited_returns_record import AwaitedReturns
from emu.ftrace.native.trace_records import Rethook

__all__ = ["AwaitedCalls", "forget_returns"]


class AwaitedCalls:
    """The calls.

    Args:
        records: where native code finds them.
    """

    def __init__(self, records: RecordLists) -> None:
        self._records = records
        self._record: AwaitedReturns | None = None

    def use(self) -> None:
        """Must be called before the first return is awaited."""
        if self._record is None:
            self._record = AwaitedReturns.allocate()
            for array in self._records.arrays:
                array.awaited = self._record

    def drop(self, hook: Rethook) -> None:
        """The calls under way of a return probe are awaited no longer."""
        if self._record is None:
            return
        for number in range(self._record.used):
            call = self._record.calls[number]
            if call.rethook == hook.address:
                call.rethook = 0

    def clear(self) -> None:
        """No call is under way, as far as anybody knows."""
        if self._record is not None:
            self._record.words[:] = 0


def forget_returns(callouts: Callouts, records: RecordLists) -> None:
    """Blocks to which calls return are watched no longer, unless somebody still awaits returns."""
    top = records.top
    if top.graph_returned is None and top.probes_returned is None and top.programs_returned is None:
        callouts.forget_returns()
