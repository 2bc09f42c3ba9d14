# SPDX-License-Identifier: GPL-2.0-only
"""The static model: every instruction has one cost, whatever came before it."""

from __future__ import annotations

from collections.abc import Mapping

import capstone

from emu.cpu.timing import BlockCost

__all__ = ["StaticModel"]


class StaticModel:
    """Adds up what each instruction costs on its own: one cycle unless `cycles` says otherwise, by capstone's mnemonic."""

    def __init__(self, disassembler: capstone.Cs, cycles: Mapping[str, int]) -> None:
        self._disassembler = disassembler
        self._cycles = cycles

    def block(self, code: bytes, address: int) -> BlockCost:
        instructions = cycles = 0
        for _, _, mnemonic, _ in self._disassembler.disasm_lite(code, address):
            instructions += 1
            cycles += self._cycles.get(mnemonic.removeprefix("lock "), 1)
        return BlockCost(max(instructions, 1), max(cycles, 1))
