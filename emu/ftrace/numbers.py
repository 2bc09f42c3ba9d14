# SPDX-License-Identifier: GPL-2.0-only
"""Numbers as the kernel parses them. Python's int() would accept other digits, signs and spaces."""

from __future__ import annotations

import errno
import re

from emu.ftrace.errors import TraceError

__all__ = ["parse_c", "parse_decimal", "parse_microseconds"]

_UNSIGNED_LONG_MAX = (1 << 64) - 1
_NOTATIONS = (("0[xX]", 16, "[0-9a-fA-F]+"), ("0", 8, "[0-7]+"), ("", 10, "0|[1-9][0-9]*"))


def parse_decimal(text: str, maximum: int = _UNSIGNED_LONG_MAX) -> int:
    """A decimal number: digits, with an optional plus before and an optional newline after.

    Raises:
        TraceError: EINVAL for any other text, ERANGE for more than `maximum`.
    """
    number = re.fullmatch(r"\+?([0-9]+)\n?", text)
    if number is None:
        raise TraceError(errno.EINVAL, f"'{text.strip()}' is not a number")
    value = _bounded(number[1], 10, maximum)
    if value is None:
        raise TraceError(errno.ERANGE, f"{number[1]} is more than {maximum}")
    return value


def parse_microseconds(text: str) -> int:
    """A decimal number of microseconds. Linux keeps it as 64-bit nanoseconds, so the high bits of a too large number are lost.

    Raises:
        TraceError: as parse_decimal.
    """
    return (parse_decimal(text) * 1000 & _UNSIGNED_LONG_MAX) // 1000


def parse_c(word: str, maximum: int = _UNSIGNED_LONG_MAX) -> int | None:
    """A number in C's notation: 30, 0x1e, 036. None if it is not one or exceeds `maximum`."""
    for prefix, base, digits in _NOTATIONS:
        number = re.fullmatch(rf"\+?{prefix}({digits})", word)
        if number is not None:
            return _bounded(number[1], base, maximum)
    return None


def _bounded(digits: str, base: int, maximum: int) -> int | None:
    """The value, or None if it exceeds `maximum`. Python refuses to convert thousands of digits."""
    digits = digits.lstrip("0")
    value = int(digits or "0", base) if len(digits) <= maximum.bit_length() else maximum + 1
    return value if value <= maximum else None
