# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the kernel's printf, and their arguments as packed by its vbin_printf().

An argument shorter than 4 bytes is aligned to its size, a longer one to 4 bytes, also on machines with 8-byte words. Strings
are not aligned. Since Linux 4.15, the kernel formats pointers that it dereferences (such as `%pI4`) when it packs them, and
stores the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from emu.ftrace.event.print_fmt_calls import star
from emu.ftrace.words import Words

__all__ = ["arguments", "formatted"]

Value = int | bytes

_CONVERSION = re.compile(
    rb"%(?P<flags>[-+ 0#]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<size>hh?|ll?|[LzZt]|)(?:(?P<pointer>p[A-Za-z0-9]*)|(?P<letter>.?))",
    re.DOTALL,
)
_INT = 4
_SIZES = {b"": _INT, b"h": 2, b"hh": 1, b"ll": 8, b"L": 8}  # a conversion with any other prefix has the size of a long
_ADDRESSES = (b"", b"S", b"s", b"x", b"K", b"e")  # after %p: these always store the number


@dataclass(frozen=True)
class _Conversion:
    """One conversion, such as `%-8.3lx`. A width or precision of None is taken from an argument."""

    flags: bytes
    width: int | None
    precision: int | None  # -1: none
    size: int  # bytes of the number
    letter: bytes  # "p" for all pointers
    pointer: bytes = b""  # what follows the "p"

    @property
    def converts(self) -> bool:
        """Whether the conversion takes an argument: `%%` does not."""
        return self.letter != b"" and self.letter in b"cspdiuoxX"

    @property
    def may_be_text(self) -> bool:
        """Whether the kernel may have dereferenced the pointer and stored a text."""
        return self.letter == b"p" and self.pointer[:1] not in _ADDRESSES


def _number(text: bytes | None, otherwise: int) -> int | None:
    return None if text == b"*" else int(text or b"0") if text is not None else otherwise


@lru_cache(maxsize=1024)
def _parse(template: bytes, long_size: int) -> Sequence[bytes | _Conversion]:
    pieces: list[bytes | _Conversion] = []
    end = 0
    for found in _CONVERSION.finditer(template):
        pieces.append(template[end : found.start()])
        end = found.end()
        size = _SIZES.get(found["size"], long_size)
        width, precision = _number(found["width"], 0), _number(found["precision"], -1)
        if found["pointer"]:
            pieces.append(_Conversion(found["flags"], width, precision, long_size, b"p", found["pointer"][1:]))
        else:
            size = 1 if found["letter"] == b"c" else size
            pieces.append(_Conversion(found["flags"], width, precision, size, found["letter"]))
    return [*pieces, template[end:]]


def arguments(template: bytes, data: bytes, words: Words) -> list[Value]:
    """The arguments of a format, unpacked from vbin_printf()'s output. Bytes beyond the end of the data read as zero.

    Args:
        template: the format.
        data: the packed arguments.
        words: word size and byte order of the machine that recorded them.
    """
    return list(_arguments(template, data, words))


def _arguments(template: bytes, data: bytes, words: Words) -> Iterator[Value]:
    place = 0

    def text() -> bytes:
        return data[place:].partition(b"\0")[0]

    def number(size: int) -> int:
        nonlocal place
        place += -place % min(size, _INT)
        place += size
        return int.from_bytes(data[place - size : place].ljust(size, b"\0"), words.order)

    for piece in _parse(template, words.long_size):
        if isinstance(piece, bytes):
            continue
        for given in (piece.width, piece.precision):
            if given is None:
                yield number(_INT)
        if piece.letter == b"s" or (piece.may_be_text and _is_text(text())):
            found = text()
            place += len(found) + 1
            yield found
        elif piece.converts:
            yield number(piece.size)


def _is_text(data: bytes) -> bool:
    """Whether the data is text. An address is not: it has bytes that are not ASCII characters."""
    return data != b"" and data.isascii() and data.decode().isprintable()


def formatted(
    template: bytes, values: Sequence[Value], pointer: Callable[[bytes, int], bytes | None], long_size: int = 8
) -> bytes:
    """The text that the kernel's vsnprintf() makes.

    Args:
        template: the format.
        values: its arguments, as `arguments` gives them.
        pointer: pointer(b"S", address) returns the text of a pointer `%pS`, or None to print its digits.
        long_size: bytes of a `long` on the machine that makes the text.
    """
    text = bytearray()
    left = iter(values)
    for piece in _parse(template, long_size):
        if isinstance(piece, bytes):
            text += piece
            continue
        width = star(piece.width if piece.width is not None else _signed(next(left), _INT))
        precision = star(piece.precision if piece.precision is not None else _signed(next(left), _INT))
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
        return _padded(named, flags, width) if named is not None else _digits(value, b"x", flags, width, 2 * piece.size)
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
