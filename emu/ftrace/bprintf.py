# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the guest's printf, and their arguments as the guest's vbin_printf() packs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["ByteOrder", "arguments", "formatted"]

ByteOrder = Literal["little", "big"]
Value = int | bytes

_CONVERSION = re.compile(
    rb"%(?P<flags>[-+ 0#]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<size>h*[lz]*)(?:(?P<pointer>p[A-Za-z0-9]*)|(?P<letter>.?))",
    re.DOTALL,
)
_INT = 4
_SIZES = {b"": _INT, b"h": 2}


@dataclass(frozen=True)
class _Conversion:
    """`%-8.3lx`. A width or precision of None is an argument."""

    flags: bytes
    width: int | None
    precision: int | None  # -1: none
    size: int  # of a number, in bytes
    letter: bytes  # "p" for all pointers
    pointer: bytes = b""  # what follows the "p"

    @property
    def converts(self) -> bool:
        """Whether there is something to convert: `%%` only stands for a character."""
        return self.letter != b"" and self.letter in b"cspdiuoxX"

    def stored(self) -> Iterator[int]:
        """The sizes of its arguments; 0 is a string."""
        if self.width is None:
            yield _INT
        if self.precision is None:
            yield _INT
        if self.converts:
            yield 0 if self.letter == b"s" else self.size


def _number(text: bytes | None, otherwise: int) -> int | None:
    return None if text == b"*" else int(text or b"0") if text is not None else otherwise


@lru_cache(maxsize=1024)
def _parse(template: bytes) -> Sequence[bytes | _Conversion]:
    pieces: list[bytes | _Conversion] = []
    end = 0
    for found in _CONVERSION.finditer(template):
        pieces.append(template[end : found.start()])
        end = found.end()
        size = 8 if found["size"][-1:] in (b"l", b"z") else _SIZES.get(found["size"], 1)
        width, precision = _number(found["width"], 0), _number(found["precision"], -1)
        if found["pointer"]:
            pieces.append(_Conversion(found["flags"], width, precision, 8, b"p", found["pointer"][1:]))
        else:
            size = 1 if found["letter"] == b"c" else size
            pieces.append(_Conversion(found["flags"], width, precision, size, found["letter"]))
    return [*pieces, template[end:]]


def _sizes(template: bytes) -> Iterator[int]:
    for piece in _parse(template):
        if isinstance(piece, _Conversion):
            yield from piece.stored()


def arguments(template: bytes, data: bytes, order: ByteOrder) -> list[Value]:
    """The arguments of a format, out of what vbin_printf() made. What lies beyond the data is zeros."""
    values: list[Value] = []
    place = 0
    for size in _sizes(template):
        if size:
            place += -place % min(size, _INT)
            values.append(int.from_bytes(data[place : place + size].ljust(size, b"\0"), order))
            place += size
        else:
            text = data[place:].partition(b"\0")[0]
            values.append(text)
            place += len(text) + 1
    return values


def formatted(template: bytes, values: Sequence[Value], pointer: Callable[[bytes, int], bytes | None]) -> bytes:
    """The text, as the guest's vsnprintf() makes it.

    Args:
        template: the format.
        values: its arguments, as `arguments` gives them.
        pointer: pointer(b"S", address) -> the text of a pointer `%pS`; None: its digits.
    """
    text = bytearray()
    left = iter(values)
    for piece in _parse(template):
        if isinstance(piece, bytes):
            text += piece
            continue
        width = piece.width if piece.width is not None else _signed(next(left), _INT)
        precision = piece.precision if piece.precision is not None else _signed(next(left), _INT)
        flags = piece.flags + b"-" if width < 0 else piece.flags
        if piece.converts:
            text += _converted(piece, flags, abs(width), precision, next(left), pointer)
        else:
            text += piece.letter
    return bytes(text)


def _converted(
    piece: _Conversion, flags: bytes, width: int, precision: int, value: Value, pointer: Callable[[bytes, int], bytes | None]
) -> bytes:
    if isinstance(value, bytes):
        return _padded(value if precision < 0 else value[:precision], flags, width)
    if piece.letter == b"c":
        return _padded(bytes([value]).rstrip(b"\0"), flags, width)
    if piece.letter == b"p":
        named = pointer(piece.pointer, value)
        return _padded(named, flags, width) if named is not None else _digits(value, b"x", flags, width, 16)
    if piece.letter in b"di":
        value = _signed(value, piece.size)
    return _digits(value, piece.letter, flags, width, precision)


def _padded(text: bytes, flags: bytes, width: int) -> bytes:
    return text.ljust(width) if b"-" in flags else text.rjust(width)


def _digits(value: int, letter: bytes, flags: bytes, width: int, precision: int) -> bytes:
    digits = b"" if value == 0 else format(abs(value), {b"x": "x", b"X": "X", b"o": "o"}.get(letter, "d")).encode()
    if value < 0:
        prefix = b"-"
    elif b"+" in flags:
        prefix = b"+"
    elif b" " in flags:
        prefix = b" "
    elif b"#" in flags and value and letter in b"xX":
        prefix = b"0" + letter
    else:
        prefix = b"0" if b"#" in flags and letter == b"o" else b""
    digits = digits.rjust(1 if precision < 0 else precision, b"0")
    if b"0" in flags and b"-" not in flags and precision < 0:
        digits = digits.rjust(width - len(prefix), b"0")
    return _padded(prefix + digits, flags, width)


def _signed(value: Value, size: int) -> int:
    assert isinstance(value, int)
    return value - (1 << 8 * size) if value >> (8 * size - 1) else value
