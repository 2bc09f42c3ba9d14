# SPDX-License-Identifier: GPL-2.0-only
"""Sets of CPUs as the kernel writes and reads them: hexadecimal, in groups of 32 bits."""

from __future__ import annotations

import errno
import re

from emu.ftrace.errors import TraceError

__all__ = ["format_cpumask", "parse_cpumask"]

_DIGITS = 8  # of a group


def format_cpumask(mask: frozenset[int], cpus: int) -> str:
    """The text of a set, with as many digits as `cpus` CPUs need.

    >>> format_cpumask(frozenset([0, 33]), 34)
    '2,00000001'
    """
    text = f"{sum(1 << cpu for cpu in mask):0{-(-cpus // 4)}x}"
    first = len(text) % _DIGITS or _DIGITS
    return ",".join([text[:first], *(text[at : at + _DIGITS] for at in range(first, len(text), _DIGITS))])


def parse_cpumask(text: str, cpus: int) -> frozenset[int]:
    """The set of a text. Leading zeros may be missing; an empty text is the empty set.

    Raises:
        TraceError: EINVAL, if it is no such number; EOVERFLOW, if a group is too long, or a CPU too high.
    """
    value = 0
    for group in re.split(r"[,\s]+", text.split("\n")[0].strip(", \t")):
        if re.fullmatch("[0-9a-fA-F]*", group) is None:
            raise TraceError(errno.EINVAL, f"'{text.strip()}' is no set of CPUs")
        if len(group) > _DIGITS:
            raise TraceError(errno.EOVERFLOW, f"'{group}': a group has {_DIGITS} digits at most")
        value = value << 4 * _DIGITS | int(group or "0", 16)
    if value >> cpus:
        raise TraceError(errno.EOVERFLOW, f"'{text.strip()}': there are {cpus} CPUs")
    return frozenset(cpu for cpu in range(cpus) if value >> cpu & 1)
