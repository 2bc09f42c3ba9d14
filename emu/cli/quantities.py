# SPDX-License-Identifier: GPL-2.0-only
"""Times, sizes and frequencies as the options of `emu` write them: 10s, 500us, 256M, 3GHz."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import click

__all__ = ["Duration", "Frequency", "Size", "time_text"]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "": 10**9}
_BYTES = {"K": 1 << 10, "M": 1 << 20, "": 1 << 20, "G": 1 << 30}
_LARGEST = 1 << 40
_HERTZ = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def time_text(nanoseconds: int) -> str:
    """A time to three digits: 1.23 ms."""
    unit, size = next(((unit, size) for unit, size in reversed(_NANOSECONDS.items()) if unit and nanoseconds >= size), ("ns", 1))
    value = nanoseconds / size
    digits = 0 if size == 1 or value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def _split(text: str) -> tuple[Fraction, str] | None:
    """A number and its unit; None if the text is not of this form."""
    match = re.fullmatch(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)([A-Za-z]*)", text.strip())
    return (Fraction(match[1]), match[2]) if match else None


class Duration(click.ParamType[int]):
    """A time, converted to nanoseconds. A number without a unit is in seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        parts = _split(str(value))
        if parts is None or parts[1] not in _NANOSECONDS:
            self.fail(f"'{value}' is no time: a number with ns, us, ms or s is needed.", param, ctx)
        nanoseconds = int(parts[0] * _NANOSECONDS[parts[1]])
        if nanoseconds == 0:
            self.fail(f"'{value}' is no time at all.", param, ctx)
        return nanoseconds


class Size(click.ParamType[int]):
    """A size, converted to bytes. A number without a unit is in mebibytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        parts = _split(str(value))
        unit = parts[1].upper() if parts else None
        if parts is None or unit not in _BYTES:
            self.fail(f"'{value}' is no size: a number with K, M or G is needed.", param, ctx)
        size = parts[0] * _BYTES[unit]
        if size.denominator != 1 or size > _LARGEST:
            self.fail(f"'{value}' is no size that a machine could have.", param, ctx)
        return int(size)


class Frequency(click.ParamType[int]):
    """A frequency, converted to Hz: 100M, 100MHz, 2.5GHz. A number without a unit is in Hz."""

    name = "frequency"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        parts = _split(str(value))
        prefix = parts[1].lower().removesuffix("hz") if parts else None
        if parts is None or prefix not in _HERTZ:
            self.fail(f"'{value}' is no frequency: a number with MHz or GHz is needed.", param, ctx)
        hertz = parts[0] * _HERTZ[prefix]
        if hertz.denominator != 1:
            self.fail(f"'{value}' is no whole number of Hz.", param, ctx)
        return int(hertz)
