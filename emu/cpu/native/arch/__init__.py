# SPDX-License-Identifier: GPL-2.0-only
"""What runs inside Unicorn, by architecture.

Each module here has a function `build(layout)` that compiles it for one layout of Unicorn's structures, whose offsets
become constants of the machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from emu.cpu.native.cpu_records import Board, Cpu, Uc
from emu.native.functions import Compiled
from emu.native.records import i32, u32, u64

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core

__all__ = ["NativeCpu", "TimedHooks", "Timing"]


class TimedHooks(NamedTuple):
    """What a timing model with state has called."""

    block_hook: Compiled[[Uc, u64, u32, Cpu], None]
    """As NativeCpu.block_hook, but it runs before every block."""

    settle: Compiled[[Cpu, u64], None]
    """settle(cpu, 0): the CPU's turn has ended."""

    written: Callable[[Board, u64, u64], None]
    """written(board, first, last): somebody who is no CPU has written these lines of RAM."""


class Timing(Protocol):
    """Compiles hooks for a core, when a board wants them."""

    def __call__(self, core: Core, with_data: bool, /) -> TimedHooks:
        """`with_data`: data have caches and TLBs."""


class NativeCpu(NamedTuple):
    """What an architecture's build() returns: what Unicorn calls, and functions for other native code."""

    block_hook: Compiled[[Uc, u64, u32, Cpu], None]
    """block_hook(uc, address, why, cpu): runs before a block when there may be something to do (see translator).
    Takes interrupts, ends turns, charges the block's time and runs the host function of its address."""

    translator: Mapping[str, int]
    """What replaces functions of Unicorn's translator, by their names: addresses."""

    instructions: Sequence[str]
    """The helpers of the instructions that the block hook executes, in the order of their numbers (see translator)."""

    noticed: Sequence[str]
    """The helpers before whose calls the translator emits something."""

    cycle_counter: int | None
    """Offset in the CPU's state of a register that follows the clock; None: there is none."""

    stop_interrupt: Compiled[[Uc, i32], bool]
    """stop_interrupt(uc, exception): the trap unit, in place of Unicorn's. Delivers the exception to the guest. With -1
    Unicorn looks for interrupts: delivers an interrupt if one is due. True ends the run."""

    instruction_hooks: Sequence[tuple[int, int]]
    """(Unicorn's number of an instruction, address of the hook that executes it). Unicorn documents their types."""

    irqs_off: Callable[[u64], bool]
    """irqs_off(env), compiled: whether interrupts are off, all but NMIs."""

    timed: Timing | None = None
    """None: the architecture has no timing models with state."""
