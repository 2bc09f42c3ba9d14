# SPDX-License-Identifier: GPL-2.0-only
"""What runs inside Unicorn, by architecture.

Each module here has a function `build(layout)` that compiles it for one layout of Unicorn's structures, whose offsets
become constants of the machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Board, Cpu
    from emu.cpu.timing.core import Core
    from emu.native.functions import Compiled

__all__ = ["NativeCpu", "TimedHooks", "Timing"]


class TimedHooks(NamedTuple):
    """What a timing model with state has called."""

    block_hook: int
    """The address of it: as NativeCpu.block_hook, but it runs before every block."""

    settle: Compiled[[Cpu, int], None]
    """settle(cpu, 0): the CPU's turn has ended."""

    written: Callable[[Board, int, int], None]
    """written(board, first, last): somebody who is no CPU has written these lines of RAM."""


class Timing(Protocol):
    """Compiles hooks for a core, when a board wants them."""

    def __call__(self, core: Core, with_data: bool, /) -> TimedHooks:
        """`with_data`: data have caches and TLBs."""


class NativeCpu(NamedTuple):
    """What an architecture's build() returns: addresses of what Unicorn calls, and functions for other native code."""

    block_hook: int
    """void (*)(uc, u64 address, u32 why, cpu): runs before a block when there may be something to do (see translator).
    Takes interrupts, ends turns, charges the block's time and runs the host function of its address."""

    translator: Mapping[str, int]
    """What replaces functions of Unicorn's translator, by their names: addresses."""

    instructions: Sequence[str]
    """The helpers of the instructions that the block hook executes, in the order of their numbers (see translator)."""

    noticed: Sequence[str]
    """The helpers before whose calls the translator emits something."""

    cycle_counter: int | None
    """Offset in the CPU's state of a register that follows the clock; None: there is none."""

    stop_interrupt: int
    """bool (*)(uc, i32 exception): the trap unit, in place of Unicorn's. Delivers the exception to the guest. With -1
    Unicorn looks for interrupts: delivers an interrupt if one is due. True ends the run."""

    instruction_hooks: Sequence[tuple[int, int]]
    """(Unicorn's number of an instruction, address of the hook that executes it). Unicorn documents their types."""

    irqs_off: Any
    """irqs_off(env) -> bool, compiled: whether interrupts are off, all but NMIs."""

    timed: Timing | None = None
    """None: the architecture has no timing models with state."""
