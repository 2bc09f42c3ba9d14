# SPDX-License-Identifier: GPL-2.0-only
"""Assembles the RISC-V instructions that litmus tests use: a table, because keystone has no RISC-V.

Symbols are numbers already; the target of a branch or jump is its address. One line is one instruction: `li` loads what fits
into 12 bits, and there is no `la`. Formats and numbers: The RISC-V Instruction Set Manual, Volume I, chapter "RV32/64G
Instruction Set Listings".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from emu.cpu.arch.riscv64.state import REGISTERS
from emu.race.litmus.arch import BadOperand

__all__ = ["FENCES", "TABLE", "assembled"]

_NUMBERS = {name: number for number, register in enumerate(REGISTERS) for name in (register, f"x{number}")} | {"fp": 8}
FENCES = tuple("".join(letter for n, letter in enumerate("iorw") if bits >> n & 1) for bits in range(1, 16))
"""What a FENCE orders, as it is written: `rw`."""

_IMMEDIATE = re.compile(r"(-?)\s*(0x[0-9a-f]+|\d+)")
_MEMORY = re.compile(r"([^()]*)\(\s*(\w+)\s*\)")
_WORD = (1 << 64) - 1


def _register(text: str) -> int:
    if text not in _NUMBERS:
        raise ValueError(f"'{text}' is no register")
    return _NUMBERS[text]


def _number(text: str, least: int, most: int, step: int = 1) -> int:
    """A number from `least` to `most`; addresses that are nearly 2 to the power of 64 are negative."""
    found = _IMMEDIATE.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no number")
    value = int(found[2], 0) * (-1 if found[1] else 1)
    value = value - _WORD - 1 if value > _WORD >> 1 else value
    if not least <= value <= most or value % step:
        raise ValueError(f"{value} is not {f'a multiple of {step} ' * (step > 1)}from {least} to {most}")
    return value


def _distance(text: str, address: int, reach: int) -> int:
    target = _number(text, 0, _WORD >> 1, 2)
    if not -reach <= target - address < reach:
        raise ValueError(f"the target is {target - address} bytes away, and not up to {reach}")
    return target - address


def _immediate(text: str, address: int) -> int:
    return (_number(text, -2048, 2047) & 0xFFF) << 20


def _memory(text: str) -> tuple[int, int]:
    """The bits of the base register, and the offset."""
    found = _MEMORY.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no place in memory, as 8(a0)")
    return _register(found[2]) << 15, _number(found[1].strip() or "0", -2048, 2047)


def _load(text: str, address: int) -> int:
    base, offset = _memory(text)
    return base | (offset & 0xFFF) << 20


def _store(text: str, address: int) -> int:
    base, offset = _memory(text)
    return base | (offset & 31) << 7 | (offset >> 5 & 127) << 25


def _pointer(text: str, address: int) -> int:
    base, offset = _memory(text)
    if offset:
        raise ValueError(f"'{text}' has an offset, which the instruction has not")
    return base


def _branch(text: str, address: int) -> int:
    to = _distance(text, address, 1 << 12)
    return (to >> 11 & 1) << 7 | (to >> 1 & 15) << 8 | (to >> 5 & 63) << 25 | (to >> 12 & 1) << 31


def _jump(text: str, address: int) -> int:
    to = _distance(text, address, 1 << 20)
    return (to >> 12 & 255) << 12 | (to >> 11 & 1) << 20 | (to >> 1 & 1023) << 21 | (to >> 20 & 1) << 31


def _fence(text: str, address: int) -> int:
    if text not in FENCES:
        raise ValueError(f"'{text}' is nothing that a fence orders, as rw")
    return sum(8 >> "iorw".index(letter) for letter in text)


def _small(text: str, address: int) -> int:
    value = _number(text, -32, 31)
    return (value & 31) << 2 | (value >> 5 & 1) << 12


# The bits of an operand, by a letter of a format.
_OPERANDS: Mapping[str, Callable[[str, int], int]] = MappingProxyType(
    {
        "d": lambda text, address: _register(text) << 7,
        "s": lambda text, address: _register(text) << 15,
        "t": lambda text, address: _register(text) << 20,
        "z": lambda text, address: _register(text) << 2,  # the second register of a compressed instruction
        "i": _immediate,
        "h": lambda text, address: _number(text, 0, 63) << 20,
        "u": lambda text, address: _number(text, 0, 0xFFFFF) << 12,
        "l": _load,
        "m": _store,
        "p": _pointer,
        "b": _branch,
        "j": _jump,
        "f": lambda text, address: _fence(text, address) << 24,
        "g": lambda text, address: _fence(text, address) << 20,
        "c": _small,
    }
)


def _numbered(names: str, base: int) -> dict[str, int]:
    """Instructions that differ in funct3, which a `-` skips."""
    return {name: base | n << 12 for n, name in enumerate(names.split()) if name != "-"}


def _table() -> dict[str, tuple[int, str]]:
    """The word and the format of each instruction."""
    found: dict[str, tuple[int, str]] = {}
    for format, words in {
        "dst": {
            **_numbered("add sll slt sltu xor srl or and", 0x33), "sub": 0x4000_0033, "sra": 0x4000_5033,
            **_numbered("addw sllw - - - srlw", 0x3B), "subw": 0x4000_003B, "mul": 0x0200_0033,
        },
        "dsi": {**_numbered("addi - slti sltiu xori - ori andi", 0x13), "addiw": 0x1B},
        "dsh": {"slli": 0x1013, "srli": 0x5013, "srai": 0x4000_5013},
        "dl": {**_numbered("lb lh lw ld lbu lhu lwu", 0x03), "jalr": 0x67},
        "tm": _numbered("sb sh sw sd", 0x23),
        "stb": _numbered("beq bne - - blt bge bltu bgeu", 0x63),
        "du": {"lui": 0x37, "auipc": 0x17},
        "dj": {"jal": 0x6F},
        "fg": {"fence": 0x0F},
        "": {"fence.i": 0x100F, "ebreak": 0x10_0073, "c.nop": 0x0001, "c.ebreak": 0x9002, "c.unimp": 0},
        "dc": {"c.li": 0x4001, "c.addi": 0x0001},
        "dz": {"c.mv": 0x8002, "c.add": 0x9002},
        "d": {"c.jr": 0x8002, "c.jalr": 0x9002},
    }.items():
        found |= {name: (word, format) for name, word in words.items()}
    for suffix, order in {"": 0, ".aq": 2, ".rl": 1, ".aqrl": 3}.items():
        for size, funct3 in {"w": 2, "d": 3}.items():
            word = 0x2F | funct3 << 12 | order << 25
            kinds = {"amoadd": 0, "amoswap": 1, "sc": 3, "amoxor": 4, "amoor": 8, "amoand": 12}
            found |= {f"{kind}.{size}{suffix}": (word | funct5 << 27, "dtp") for kind, funct5 in kinds.items()}
            found[f"lr.{size}{suffix}"] = word | 2 << 27, "dp"
    return found


TABLE: Mapping[str, tuple[int, str]] = MappingProxyType(_table())
"""By name: the word without operands, and the format: a letter of _OPERANDS for each operand."""

# Other names for instructions, by the number of operands.
_SHORT = {
    ("nop", 0): "addi zero, zero, 0", ("mv", 2): "addi {0}, {1}, 0", ("li", 2): "addi {0}, zero, {1}",
    ("beqz", 2): "beq {0}, zero, {1}", ("bnez", 2): "bne {0}, zero, {1}", ("j", 1): "jal zero, {0}", ("jal", 1): "jal ra, {0}",
    ("jr", 1): "jalr zero, 0({0})", ("jalr", 1): "jalr ra, 0({0})", ("ret", 0): "jalr zero, 0(ra)",
    ("fence", 0): "fence iorw, iorw",
}  # fmt: skip


def assembled(source: str, address: int) -> bytes:
    """The code of an instruction at an address.

    Raises:
        BadOperand: an operand does not fit. The text says which.
        ValueError: it is none.
    """
    name, _, rest = source.strip().partition(" ")
    operands = [operand.strip() for operand in rest.split(",")] if rest.strip() else []
    if long := _SHORT.get((name, len(operands))):
        return assembled(long.format(*operands), address)
    if name not in TABLE:
        raise ValueError(f"'{name}' is not known" + " with so many operands" * any(name == short for short, _ in _SHORT))
    word, format = TABLE[name]
    if len(operands) != len(format):
        raise ValueError(f"{len(operands)} operands, and not {len(format)}")
    size = 4 if word & 3 == 3 else 2
    for letter, operand in zip(format, operands, strict=True):
        try:
            word |= _OPERANDS[letter](operand, address)
        except ValueError as error:
            raise BadOperand(str(error), size) from None
    return word.to_bytes(size, "little")
