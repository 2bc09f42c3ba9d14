# SPDX-License-Identifier: GPL-2.0-only
"""What emu's models predict that code costs."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from dataclasses import replace

from calibration.blocks.bodies import disassembler
from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.arch.x86_64.strings import describe
from emu.cpu.arch.x86_64.time import CYCLES
from emu.cpu.timing import BlockSummary
from emu.cpu.timing.composition import Composition
from emu.cpu.timing.core import Core
from emu.cpu.timing.static import StaticModel
from emu.cpu.timing.summarise import Summariser

__all__ = ["Model", "core_named", "instructions", "static_cycles"]


def core_named(name: str) -> Core:
    """The CPU model of that name: `zen3` is ZEN3 of emu/cpu/arch/x86_64/zen3.py.

    Raises:
        ModuleNotFoundError: there is none.
    """
    core = getattr(importlib.import_module(f"emu.cpu.arch.x86_64.{name}"), name.upper())
    assert isinstance(core, Core)
    return core


_STATIC = StaticModel(disassembler(), CYCLES, describe)


def static_cycles(code: bytes) -> float:
    """The prediction of the static model."""
    return _STATIC.block(code, 0).cycles


def instructions(code: bytes) -> int:
    """The number of instructions in `code`."""
    return _STATIC.block(code, 0).instructions


class Model:
    """The model that composes summaries of blocks."""

    def __init__(self, core: Core) -> None:
        # Blocks are measured unrolled, so that the predictor of forwarding has nothing to learn from.
        self.core = replace(core, forward_learned=core.forward)
        self._summariser = Summariser(self.core, Operations(self.core), _STATIC)
        self._summary = functools.cache(self._summarise)

    def _summarise(self, code: bytes) -> BlockSummary:
        return self._summariser.summarise(code, 0)

    def cycles(self, row: Sequence[bytes]) -> float:
        """The cycles of a row of blocks that is repeated."""
        return Composition(self.core).cycles_of([self._summary(code) for code in row])

    def known(self, code: bytes) -> bool:
        """Whether the model has all of the block's instructions in its tables."""
        return not self._summary(code).static
