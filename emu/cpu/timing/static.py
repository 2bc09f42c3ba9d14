# SPDX-License-Identifier: GPL-2.0-only
"""The static model: every instruction has a fixed cost, whatever precedes it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import capstone

from emu.cpu.native.block_record import string_cost
from emu.cpu.timing import BlockCost

__all__ = ["StaticModel"]


_KEPT = 1 << 16  # blocks: a kernel and some programs execute about 10,000


class StaticModel:
    """Adds up the instructions' individual costs: one cycle unless `cycles` says otherwise, by capstone's mnemonic.

    Costs do not depend on addresses, so a block costs the same on every machine.

    Args:
        disassembler: decodes the instructions.
        cycles: the costs that are not one cycle, by mnemonic.
        repeated: repeated(instruction) -> the block hook's description of a repeated instruction; 0 if it is not repeated.
    """

    def __init__(self, disassembler: capstone.Cs, cycles: Mapping[str, int], repeated: Callable[[bytes], int]) -> None:
        self._disassembler = disassembler
        self._cycles = cycles
        self._repeated = repeated
        self._known = functools.lru_cache(_KEPT)(self._add_up)

    def block(self, code: bytes, address: int) -> BlockCost:
        return self._known(code)

    def _add_up(self, code: bytes) -> BlockCost:
        instructions = cycles = last = 0
        for last, _, mnemonic, _ in self._disassembler.disasm_lite(code, 0):  # noqa: B007
            instructions += 1
            cycles += self._cycles.get(mnemonic.removeprefix("lock "), 1)
        instructions, cycles = max(instructions, 1), max(cycles, 1)
        description = self._repeated(code[last:])
        return BlockCost(instructions, cycles, last, string_cost(cycles, last, description) if description else cycles)
