# SPDX-License-Identifier: GPL-2.0-only
"""What recording a call costs by function_graph, where that is the same for each call: with the static timing model.

The guest executes a call at the function's site, then two trampolines; the host takes the times in between, when it is called
in blocks whose own time counts already. `--tracer-cost` adds time after each of the two.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.timing import STATIC
from emu.ftrace.arch import CodeRange, FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.kernel.kernel import Kernel

__all__ = ["GraphCost", "graph_cost"]


class GraphCost(NamedTuple):
    """Nanoseconds of one call that is recorded.

    Attributes:
        own: those in the call's own recorded duration.
        caller: those before and after it, which the caller pays.
    """

    own: int
    caller: int


def graph_cost(kernel: Kernel, arch: FtraceArch, records: RecordLists) -> GraphCost | None:
    """The cost on a machine; None: it depends on what is executed before, as with the other timing models."""
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
