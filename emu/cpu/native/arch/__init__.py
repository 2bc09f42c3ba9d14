# SPDX-License-Identifier: GPL-2.0-only
"""Code that runs inside Unicorn, by architecture.

Each module here has a function `build(layout)` that compiles it for one layout of Unicorn's structures, whose offsets
become constants of the machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from emu.cpu.native.cpu_records import Board, Cpu, Uc
from emu.cpu.native.listening import Listening
from emu.cpu.native.watching import Watching
from emu.native.functions import Compiled
from emu.native.records import Layouts, i32, u32, u64

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core

__all__ = ["NativeCpu", "OfBoard", "TimedHooks", "Timing"]


class TimedHooks(NamedTuple):
    """The functions called for a timing model with state."""

    block_hook: Compiled[[Uc, u64, u32, Cpu], None]
    """As NativeCpu.block_hook, but called before every block."""

    settle: Compiled[[Cpu, u64], None]
    """settle(cpu, 0): the CPU's turn has ended."""

    written: Callable[[Board, u64, u64], None]
    """written(board, first, last): these lines of RAM were written by something other than a CPU."""


class Timing(Protocol):
    """Compiles hooks for a core, if a board needs them."""

    def __call__(self, core: Core, with_data: bool, /) -> TimedHooks:
        """`with_data`: model caches and TLBs of data."""


class OfBoard(NamedTuple):
    """What a CPU does differently on another board."""

    acknowledge: Callable[[Cpu], u64]
    """acknowledge(cpu), compiled: takes the highest pending vector, and returns it."""

    build_execute: Callable[[Layouts], Callable[[Cpu, u64], None]]
    """Compiles execute(cpu, number), which executes the instruction with this number in `instructions`."""

    instructions: Sequence[str]
    """As those of NativeCpu."""

    build_hooks: Callable[[Layouts], Sequence[tuple[int, int]]]
    """Compiles `instruction_hooks`."""


class NativeCpu(NamedTuple):
    """The result of an architecture's build(): functions that Unicorn calls, and functions for other native code."""

    block_hook: Compiled[[Uc, u64, u32, Cpu], None]
    """block_hook(uc, address, why, cpu): runs before a block if there may be something to do (see translator).
    Takes interrupts, ends turns, charges the block's time and runs the host function of its address."""

    translator: Mapping[str, int]
    """Replacements for functions of Unicorn's translator: addresses, by function name."""

    instructions: Sequence[str]
    """The helpers of instructions that the block hook executes instead, in the order of their numbers (see translator)."""

    openings: Sequence[str]
    """The helpers after which the CPU may take interrupts that it did not take before."""

    noticed: Sequence[str]
    """The helpers whose calls the translator precedes with additional code."""

    cycle_counter: int | None
    """Offset in the CPU's state of a register that follows the clock; None if there is none."""

    stop_interrupt: Compiled[[Uc, i32], bool]
    """stop_interrupt(uc, exception): the trap unit, in place of Unicorn's. Delivers the exception to the guest. If it is -1,
    Unicorn checks for interrupts: delivers an interrupt if one is due. Returns True to end the run."""

    instruction_hooks: Sequence[tuple[int, int]]
    """(Unicorn's number of an instruction, address of the hook that executes it). Unicorn documents the hooks' types."""

    irqs_off: Callable[[u64], bool]
    """irqs_off(env), compiled: whether all interrupts except NMIs are off."""

    listening: Listening | None = None
    """What calls functions before instructions; None if the architecture has no such calls."""

    watching: Watching | None = None
    """What sees accesses to watched memory; None: nothing does."""

    timed: Timing | None = None
    """None if the architecture has no timing models with state."""
