# SPDX-License-Identifier: GPL-2.0-only
"""The ladder: all rungs, in order."""

from __future__ import annotations

from collections.abc import Sequence

from emu.port.ladder import first
from emu.port.ladder.rung import Rung

__all__ = ["RUNGS"]

RUNGS: Sequence[Rung] = (
    Rung("state", "the host finds a CPU's state in Unicorn, resets it and shows it", first.state),
    Rung("hello", "a program executes, and calls the host", first.hello),
    Rung("slices", "steps and turns of any length execute the same, and time passes", first.slices),
    Rung("blocks", "what ends Unicorn's blocks, between which interrupts come", first.blocks),
)
