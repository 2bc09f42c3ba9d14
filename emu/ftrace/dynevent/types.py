# SPDX-License-Identifier: GPL-2.0-only
"""The types of probe arguments: their size in an entry, and how they are printed (Linux: struct fetch_type)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TYPES", "FetchType"]


@dataclass(frozen=True)
class FetchType:
    """A type.

    Attributes:
        name: as in a definition: `x64`.
        field_type: as in `format`: `u64`.
        size: bytes in the entry; for a string, the size of its location word.
        signed: as in `format`.
        conversion: as in print fmt: `0x%Lx`.
    """

    name: str
    field_type: str
    size: int
    signed: bool
    conversion: str

    @property
    def is_string(self) -> bool:
        return self.field_type.startswith("__data_loc")


def _number(letter: str, bits: int) -> FetchType:
    base = "u" if letter == "x" else letter
    conversion = f"{'L' if bits == 64 else ''}{ {'u': 'u', 's': 'd', 'x': 'x'}[letter]}"
    return FetchType(f"{letter}{bits}", f"{base}{bits}", bits // 8, letter == "s", f"{'0x' * (letter == 'x')}%{conversion}")


_NUMBERS = [_number(letter, bits) for letter in "usx" for bits in (8, 16, 32, 64)]
_STRINGS = [FetchType(name, "__data_loc char[]", 4, True, r"\"%s\"") for name in ("string", "ustring", "symstr")]
_SYMBOL = FetchType("symbol", "u64", 8, False, "%pS")

TYPES = {kind.name: kind for kind in (*_NUMBERS, *_STRINGS, _SYMBOL)}
"""The types, by name. A bit field `bBW@OFFSET/SIZE` is an unsigned number of SIZE bits."""
