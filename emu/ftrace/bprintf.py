# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the kernel's printf, and their arguments as its vbin_printf() packs them.

What is shorter than 4 bytes is aligned to its size, all that is longer to 4, on machines with words of 8 bytes, too. Texts
are not aligned. Since Linux 4.15 a pointer that the kernel itself follows, as `%pI4` has it, is the text that it has made.
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
_SIZES = {b"": _INT, b"h": 2, b"hh": 1, b"ll": 8, b"L": 8}  # others are as large as a long
_ADDRESSES = (b"", b"S", b"s", b"x", b"K", b"e")  # after %p: the number is recorded in any case


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

    @property
    def may_be_text(self) -> bool:
        """Whether the kernel may have followed a pointer, and recorded a text."""
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
    """The arguments of a format, out of what vbin_printf() made. What lies beyond the data is zeros.

    Args:
        template: the format.
        data: from where the first argument is.
        words: of the machine that has recorded it.
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
    """No address is: it has bytes that are no characters of ASCII."""
    return data != b"" and data.isascii() and data.decode().isprintable()


def formatted(
    template: bytes, values: Sequence[Value], pointer: Callable[[bytes, int], bytes | None], long_size: int = 8
) -> bytes:
    """The text, as the kernel's vsnprintf() makes it.

    Args:
        template: the format.
        values: its arguments, as `arguments` gives them.
        pointer: pointer(b"S", address) -> the text of a pointer `%pS`; None: its digits.
        long_size: bytes of a `long` where the text is made.
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
