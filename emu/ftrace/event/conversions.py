# SPDX-License-Identifier: GPL-2.0-only
"""The conversions of the kernel's printf: those of C, and %p's for the data behind a pointer.

Linux: Documentation/core-api/printk-formats.rst.
"""

from __future__ import annotations

import re
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "POINTED",
    "Conversion", "bitmap", "bitmap_list", "c_string", "character", "conversions", "hex_dump", "number",
]  # fmt: skip


@dataclass(frozen=True)
class Conversion:
    """One conversion of a format: `%-8.3lx`."""

    flags: str  # of `-+ #0`
    width: str  # digits, "*", or ""
    precision: str | None  # digits, "*", or ""; None: there is none
    size: int  # bytes of a number
    kind: str  # the letter: `d u x X o c s p`
    extension: str = ""  # after `%p`: what the pointer points to


_SIZES = {"hh": 1, "h": 2, "": 4, "ll": 8, "L": 8}  # a conversion with any other prefix has the size of a long
_CONVERSION = re.compile(
    r"%(?:%|(?P<flags>[-+ #0]*)(?P<width>\*|\d{0,4})(?:\.(?P<precision>\*|\d{0,4}))?(?P<size>hh?|ll?|[Lzt]|)"
    r"(?:(?P<kind>[diuxXocs])|p(?P<extension>[A-Za-z0-9]*)))"
)


def conversions(text: str, long_size: int = 8) -> Iterator[str | Conversion]:
    """The parts of a format in order: plain text and conversions.

    Args:
        text: the format.
        long_size: bytes of a `long` on the machine that makes the text.

    Raises:
        ValueError: the kernel does not have one of the conversions.
    """
    end = 0
    for found in _CONVERSION.finditer(text):
        yield _plain(text[end : found.start()])
        end = found.end()
        if found[0] == "%%":
            yield "%"
            continue
        kind = {None: "p", "i": "d"}.get(found["kind"], found["kind"])
        size = _SIZES.get(found["size"], long_size)
        yield Conversion(found["flags"], found["width"], found["precision"], size, kind, found["extension"] or "")
    yield _plain(text[end:])


def _plain(text: str) -> str:
    if "%" in text:
        raise ValueError(f"no conversion: {text[text.index('%') :]!r}")
    return text


@lru_cache(maxsize=1024)  # most texts in events are task names
def c_string(data: bytes) -> str:
    """The text before the first NUL, or all of it."""
    return data.partition(b"\0")[0].decode(errors="surrogateescape")


def character(value: int) -> str:
    """%c"""
    return bytes([value & 0xFF]).decode(errors="surrogateescape")


def number(value: int, conversion: Conversion, width: int, precision: int) -> str:
    """A number as printed by the kernel, which differs from C in two ways.

    Zeros fill the width even if there is a precision, and zero also gets its digit and its 0x.
    """
    flags, kind = conversion.flags, conversion.kind
    digits = f"{abs(value):{kind if kind in 'xXo' else 'd'}}"
    left = "-" in flags or width < 0
    sign = ""
    if kind == "d":
        sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    if "#" in flags and (kind in "xX" or (kind == "o" and value)):
        sign += "0" if kind == "o" else f"0{kind}"
    room = abs(width) - len(sign)
    digits = digits.zfill(max(precision, room if "0" in flags and not left else 0))
    return (sign + digits).ljust(abs(width)) if left else (sign + digits).rjust(width)


def hex_dump(data: bytes, separator: str) -> str:
    """The bytes in hexadecimal, two digits each."""
    return data.hex(separator) if separator else data.hex()


def _bits(data: bytes, count: int) -> int:
    return int.from_bytes(data, sys.byteorder) & (1 << count) - 1


def bitmap(data: bytes, count: int = 1 << 16) -> str:
    """%*pb: words of 32 bits, the highest first: `1,ffffffff`. `count`: the number of bits to print."""
    count = max(min(count, len(data) * 8), 0)
    bits, words = _bits(data, count), []
    while count > 0:
        first = (count - 1) // 32 * 32  # bit of this word
        words.append(f"{bits >> first & 0xFFFFFFFF:0{(count - first + 3) // 4}x}")
        count = first
    return ",".join(words)


def bitmap_list(data: bytes, count: int) -> str:
    """%*pbl: `0-3,8`."""
    digits = f"{_bits(data, max(count, 0)):b}"[::-1]
    runs = [(found.start(), found.end() - 1) for found in re.finditer("1+", digits)]
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)


def _ip4(data: bytes, digits: str = "") -> str:
    return ".".join(f"{byte:{digits}}" for byte in data[:4])


def _ip6(data: bytes) -> str:
    return ":".join(data[at : at + 2].hex() for at in range(0, 16, 2))


def _ip6_short(data: bytes) -> str:
    """The longest run of two or more zeros becomes `::`; an embedded IPv4 address is written in IPv4 notation."""
    isatap = data[8:12] in (b"\0\0\x5e\xfe", b"\x02\0\x5e\xfe")
    dotted = data[:12] == bytes(10) + b"\xff\xff" or isatap
    groups = [int.from_bytes(data[at : at + 2], "big") for at in range(0, 12 if dotted else 16, 2)]
    texts = [f"{group:x}" for group in groups] + ([_ip4(data[12:16])] if dotted else [])
    zeros = "".join("1" if group else "0" for group in groups)
    longest = max(re.findall("0+|$", zeros), key=len)
    if len(longest) < 2:
        return ":".join(texts)
    start = zeros.index(longest)
    return f"{':'.join(texts[:start])}::{':'.join(texts[start + len(longest) :])}"


_AF_INET, _AF_INET6 = 2, 10


def _socket_address(data: bytes, short: bool, port: bool) -> str:
    family = int.from_bytes(data[:2], sys.byteorder)
    suffix = f":{int.from_bytes(data[2:4], 'big')}" if port else ""
    if family == _AF_INET and len(data) >= 8:
        return _ip4(data[4:8]) + suffix
    if family == _AF_INET6 and len(data) >= 24:
        address = (_ip6_short if short else _ip6)(data[8:24])
        return f"[{address}]{suffix}" if port else address
    return "(einval)"


def _uuid(data: bytes, *, little: bool = False) -> str:
    return str(uuid.UUID(bytes_le=data) if little else uuid.UUID(bytes=data))


# For the letters after %p: a function that formats the bytes behind the pointer, and their number.
POINTED = {
    "I4": (4, _ip4),
    "i4": (4, lambda data: _ip4(data, "03")),
    "I6": (16, _ip6),
    "i6": (16, bytes.hex),
    "I6c": (16, _ip6_short),
    "IS": (0, lambda data: _socket_address(data, False, False)),
    "ISc": (0, lambda data: _socket_address(data, True, False)),
    "ISp": (0, lambda data: _socket_address(data, False, True)),
    "ISpc": (0, lambda data: _socket_address(data, True, True)),
    "M": (6, lambda data: data.hex(":")),
    "MR": (6, lambda data: data[::-1].hex(":")),
    "MF": (6, lambda data: data.hex("-")),
    "m": (6, bytes.hex),
    "mR": (6, lambda data: data[::-1].hex()),
    "U": (16, _uuid),
    "Ub": (16, _uuid),
    "UB": (16, lambda data: _uuid(data).upper()),
    "Ul": (16, lambda data: _uuid(data, little=True)),
    "UL": (16, lambda data: _uuid(data, little=True).upper()),
}
