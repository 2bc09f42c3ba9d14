# SPDX-License-Identifier: GPL-2.0-only
"""The types of a kernel's C code, as far as arguments of probes use them: `file->f_path.dentry`."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

__all__ = ["CKind", "CMember", "CType", "CTypes", "Signature"]


class CKind(enum.Enum):
    """What a type is, without its typedefs and modifiers."""

    VOID = enum.auto()
    NUMBER = enum.auto()
    ENUMERATION = enum.auto()
    POINTER = enum.auto()
    ARRAY = enum.auto()
    AGGREGATE = enum.auto()  # a structure or a union
    OTHER = enum.auto()


@dataclass(frozen=True)
class CType:
    """A type.

    Attributes:
        size: in bytes; 0 if it has none.
        signed: of a number.
        known_by: what `CTypes` knows it by.
    """

    kind: CKind
    size: int
    signed: bool
    known_by: object


class CMember(NamedTuple):
    """A member of a structure or union.

    Attributes:
        offset: in bits.
        bits: of a bit field; 0 for any other member.
    """

    offset: int
    bits: int
    type: CType


class CTypes(Protocol):
    """The types of a kernel and its modules."""

    def target(self, of: CType) -> CType | None:
        """What a pointer points to, or what an array is made of; None if that is not known."""

    def member(self, of: CType, name: str) -> CMember | None:
        """A member of a structure or union, also of those without names in it; None if there is none."""


    def aggregate(self, name: str) -> CType | None:
        """A structure or union; None if there is none of this name."""


class Signature(NamedTuple):
    """What a function takes and returns.

    Attributes:
        parameters: names and types.
        result: VOID if it returns nothing.
    """

    parameters: Sequence[tuple[str, CType]]
    result: CType

    def place(self, index: int, registers: int, word: int = 8) -> tuple[bool, int] | None:
        """Where a parameter is when the function begins: whether on the stack, and the number of the register or stack word.

        Args:
            index: the parameter.
            registers: how many registers have arguments.
            word: bytes of a register.

        Returns: None if it is a structure of more than one word, which no expression can have as its value.
        """
        in_registers = on_stack = 0
        for number, (_, kind) in enumerate(self.parameters):
            words = max(-(-kind.size // word), 1)
            stacked = words > 2 or in_registers + words > registers
            if number == index:
                return None if words > 1 else (stacked, on_stack if stacked else in_registers)
            if stacked:
                on_stack += words
            else:
                in_registers += words
        return None
