# SPDX-License-Identifier: GPL-2.0-only
"""What function_graph's recording costs per call, if that is constant: with the static timing model.

The guest executes a call at the function's site, then two trampolines. The host takes the timestamps in between, when it is
called in blocks that have already been charged. `--tracer-cost` adds time after each of the two timestamps.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.timing import STATIC
from emu.ftrace.arch import CodeRange, FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.kernel.kernel import Kernel

__all__ = ["GraphCost", "graph_cost"]


class GraphCost(NamedTuple):
    """The cost in nanoseconds of recording one call.

    Attributes:
        own: the part within the call's own recorded duration.
        caller: the part before and after it, which adds to the caller's duration.
    """

    own: int
    caller: int


def graph_cost(kernel: Kernel, arch: FtraceArch, records: RecordLists) -> GraphCost | None:
    """The cost on a machine. None if it depends on the code executed before, as with the other timing models."""
    board = kernel.board
    if board.timing_model.timing != STATIC:
        return None
    timing, image, path = board.arch.timing(), kernel.image, arch.graph_path

    def cycles(*ranges: CodeRange) -> int:
        return sum(
            timing.block(kernel.memory.read(image.symbol(symbol) + first, end - first), 0).cycles for symbol, first, end in ranges
        )

    site = timing.block(arch.call(0, 0), 0).cycles - timing.block(arch.nop, 0).cycles
    array = records.top
    own = cycles(*path.after_entry, *path.before_return) + array.cost_graph_call + array.cost_entry
    caller = site + cycles(*path.before_entry, *path.after_return) + array.cost_graph_return + array.cost_entry
    return GraphCost(board.nanoseconds(own), board.nanoseconds(caller))
