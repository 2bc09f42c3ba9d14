# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a block in the static model of a PC: a cycle per instruction.

Python decodes only blocks that may end with a repeated string instruction: decoding all blocks of a Linux takes as long as
booting it.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Block, Cpu
from emu.cpu.native.pc.records import Pc
from emu.native.functions import Compiled, callback, external, njit
from emu.native.records import Bytes, u64

__all__ = ["build"]

_PAGE, _PAGE_MASK = 4096, 4095
_FIRST_STRING, _LAST_STRING = 0xA4, 0xAF  # the opcodes of string instructions are among these
_MOST_PREFIXES = 5
_REPEAT_NOT_EQUAL, _REPEAT, _OPERAND_SIZE, _ADDRESS_SIZE = 0xF2, 0xF3, 0x66, 0x67
_REX_MASK, _REX = 0xF0, 0x40


@njit
def _may_repeat(code: Bytes, size: u64) -> bool:
    """Whether the code may end with a repeated string instruction. True also if it is too short to tell."""
    if not _FIRST_STRING <= code[size - 1] <= _LAST_STRING:
        return False
    for n in range(u64(_MOST_PREFIXES)):
        if size < n + 2:
            return True
        prefix = code[size - n - 2]
        if prefix in (_REPEAT, _REPEAT_NOT_EQUAL):
            return True
        if prefix != _OPERAND_SIZE and prefix != _ADDRESS_SIZE and prefix & _REX_MASK != _REX:
            return False
    return True


def build(arch: str) -> Compiled[[Cpu, Block], None]:
    """Compiles for an architecture's suffix of Unicorn's symbols."""
    code_address = external(f"get_page_addr_code_{arch}", u64, u64, u64)

    @callback
    def decode(cpu: Cpu, block: Block) -> None:
        """Stores the cost of a block."""
        board, size = cpu.board, u64(block.size)
        begin = block.place
        last = cpu.block + size - 1
        if (begin & _PAGE_MASK) + size > _PAGE:  # it continues in another page
            size = (last & _PAGE_MASK) + 1
            begin = code_address(cpu.env, last) - size + 1
        if begin >= board.ram_size or _may_repeat(Bytes(board.ram + begin), size):
            Pc(board.devices).decode(cpu, block)
        else:
            block.instructions = max(block.instructions, u64(1))
            block.cycles = block.instructions

    return decode
