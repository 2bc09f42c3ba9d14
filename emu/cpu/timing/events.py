# SPDX-License-Identifier: GPL-2.0-only
"""The events that CPUs count, and which of them a timing model supports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from emu.cpu.native.timing.record import COUNTERS
from emu.cpu.timing import CACHES, PIPELINE, STATIC

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu

__all__ = ["EVENTS", "counted", "counts"]

_OF_ALL_MODELS = ("cycles", "instructions")
_OF_DATA = ("L1-dcache", "LLC", "dTLB", "prefetches", "coherence", "unresolved")  # prefixes of their names

EVENTS = (*_OF_ALL_MODELS, *COUNTERS)
"""All events. `cycles` counts only cycles in which a CPU was not halted."""

_COUNTED = {
    STATIC: _OF_ALL_MODELS,
    PIPELINE: tuple(name for name in EVENTS if not name.startswith(_OF_DATA)),
    CACHES: EVENTS,
}


def counted(timing: str) -> tuple[str, ...]:
    """The events that a timing model counts."""
    return _COUNTED[timing]


def counts(cpu: Cpu) -> Mapping[str, int]:
    """The counts of a CPU since it was created."""
    board = cpu.board
    own = {"cycles": cpu.busy_cycles, "instructions": cpu.instructions}
    known = own if board.timing is None else own | {**board.timing.counts(cpu.index)}
    return {name: known[name] for name in counted(board.timing_model.timing)}
