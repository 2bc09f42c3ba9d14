# SPDX-License-Identifier: GPL-2.0-only
"""The ladder: all rungs, in order."""

from __future__ import annotations

from collections.abc import Sequence

from emu.port.ladder import first, several_cpus, trapping, user_mode
from emu.port.ladder.rung import Rung

__all__ = ["RUNGS"]

RUNGS: Sequence[Rung] = (
    Rung("state", "the host finds a CPU's state in Unicorn, resets it and shows it", first.state),
    Rung("hello", "a program executes, and calls the host", first.hello),
    Rung("slices", "steps and turns of any length execute the same, and time passes", first.slices),
    Rung("blocks", "what ends Unicorn's blocks, between which interrupts come", first.blocks),
    Rung("traps", "each trap comes to the guest's handler with its cause and address, and returns", trapping.traps),
    Rung("interrupts", "an interrupt is taken once, exactly where it may come", trapping.interrupts),
    Rung("sleep", "a CPU sleeps until an interrupt, and ends its turn when it waits", trapping.sleep),
    Rung("mmu", "a page is mapped and unmapped; the host's translation and the CPU's follow", user_mode.mmu),
    Rung("user", "a program runs without privileges; what it must not do traps", user_mode.user),
    Rung("syscalls", "system calls and interrupts of a program come to the handler, and return", user_mode.syscalls),
    Rung("page-faults", "faults have their cause and address, and can be repaired", user_mode.page_faults),
    Rung("atomics", "atomic additions of two CPUs are not lost", several_cpus.atomics),
    Rung("ipis", "a CPU interrupts another one", several_cpus.ipis),
    Rung("stale-code", "a CPU keeps old code until it is told to forget it", several_cpus.stale_code),
)
