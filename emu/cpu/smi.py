# SPDX-License-Identifier: GPL-2.0-only
"""System management interrupts: a machine's firmware takes time from its CPUs, invisibly to the kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

__all__ = ["Smi"]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_TIME = re.compile(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)(ns|us|ms|s)")
_LONGEST = 1 << 53  # nanoseconds: 104 days


@dataclass(frozen=True)
class Smi:
    """Interrupts that occur at each multiple of `period` and occupy a CPU for `length`, in nanoseconds.

    `cpu`: the only CPU that is interrupted; None: all CPUs at once.

    Raises:
        ValueError: an interrupt would not have ended when the next one occurs.
    """

    period: int
    length: int
    cpu: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.length < self.period <= _LONGEST:
            raise ValueError(f"SMIs that take {self.length} ns cannot come every {self.period} ns")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses `PERIOD:LENGTH[:CPU]`. Times have a unit.

        >>> Smi.parse("10ms:50us")
        Smi(period=10000000, length=50000, cpu=None)

        Raises:
            ValueError: the text has another form, or an SMI would not have ended when the next one occurs.
        """
        period, *rest = text.split(":")
        if len(rest) not in (1, 2):
            raise ValueError(f"SMIs '{text}': PERIOD:LENGTH[:CPU] is needed, as 10ms:50us or 10ms:50us:1")
        cpu = None
        if len(rest) == 2:
            if not re.fullmatch(r"[0-9]{1,9}", rest[1]):
                raise ValueError(f"SMIs '{text}': '{rest[1]}' is no CPU")
            cpu = int(rest[1])
        return cls(_nanoseconds(text, period), _nanoseconds(text, rest[0]), cpu)


def _nanoseconds(text: str, time: str) -> int:
    match = _TIME.fullmatch(time)
    if not match:
        raise ValueError(f"SMIs '{text}': '{time}' is no time: a number with ns, us, ms or s is needed")
    return int(Fraction(match[1]) * _NANOSECONDS[match[2]])
