# SPDX-License-Identifier: GPL-2.0-only
"""Times, sizes and frequencies in options of `emu`: 10s, 500us, 256M, 3GHz."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import click

__all__ = ["Duration", "Frequency", "Size", "time_text"]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "": 10**9}
_BYTES = {"K": 1 << 10, "M": 1 << 20, "": 1 << 20, "G": 1 << 30}
_LARGEST = 1 << 40
_HERTZ = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def time_text(nanoseconds: int) -> str:
    """A time with three significant digits: 1.23 ms."""
    unit, size = next(((unit, size) for unit, size in reversed(_NANOSECONDS.items()) if unit and nanoseconds >= size), ("ns", 1))
    value = nanoseconds / size
    digits = 0 if size == 1 or value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def _split(text: str) -> tuple[Fraction, str] | None:
    """A number and its unit; None if the text is not of this form."""
    match = re.fullmatch(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)([A-Za-z]*)", text.strip())
    return (Fraction(match[1]), match[2]) if match else None


class _Quantity(click.ParamType[int]):
    """A number with a unit, converted to a whole number of the smallest unit. An int is passed through.

    Attributes:
        units: the factor of each unit, by its name in `_unit`'s spelling; "" is for a number without a unit.
        needed: the error text for anything else.
    """

    units: ClassVar[Mapping[str, int]]
    needed: ClassVar[str]

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        parts = _split(str(value))
        unit = self.units.get(self._unit(parts[1])) if parts else None
        if parts is None or unit is None:
            self.fail(f"'{value}' {self.needed}", param, ctx)
        amount = parts[0] * unit
        if (problem := self._problem(amount)) is not None:
            self.fail(f"'{value}' {problem}", param, ctx)
        return int(amount)

    def _unit(self, text: str) -> str:
        """The name in `units` of a unit as written."""
        return text

    def _problem(self, amount: Fraction) -> str | None:
        """What is wrong with an amount; None if nothing is."""
        raise NotImplementedError


class Duration(_Quantity):
    """A time, converted to nanoseconds. A number without a unit is in seconds."""

    name = "time"
    units = _NANOSECONDS
    needed = "is no time: a number with ns, us, ms or s is needed."

    def _problem(self, amount: Fraction) -> str | None:
        return "is too short." if amount < 1 else None


class Size(_Quantity):
    """A size, converted to bytes. A number without a unit is in mebibytes."""

    name = "size"
    units = _BYTES
    needed = "is no size: a number with K, M or G is needed."

    def _unit(self, text: str) -> str:
        return text.upper()

    def _problem(self, amount: Fraction) -> str | None:
        return "is no size that a machine could have." if amount.denominator != 1 or amount > _LARGEST else None


class Frequency(_Quantity):
    """A frequency, converted to Hz: 100M, 100MHz, 2.5GHz. A number without a unit is in Hz."""

    name = "frequency"
    units = _HERTZ
    needed = "is no frequency: a number with MHz or GHz is needed."

    def _unit(self, text: str) -> str:
        return text.lower().removesuffix("hz")

    def _problem(self, amount: Fraction) -> str | None:
        return "is no whole number of Hz." if amount.denominator != 1 else None
