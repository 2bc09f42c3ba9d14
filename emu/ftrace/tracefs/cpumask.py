# SPDX-License-Identifier: GPL-2.0-only
"""Sets of CPUs in the kernel's text formats: hexadecimal, in groups of 32 bits, or a list of ranges."""

from __future__ import annotations

import errno
import re

from emu.ftrace.errors import TraceError

__all__ = ["format_cpumask", "parse_cpulist", "parse_cpumask"]

_DIGITS = 8  # per group


def format_cpumask(mask: frozenset[int], cpus: int) -> str:
    """The text of a set, with as many digits as `cpus` CPUs need.

    >>> format_cpumask(frozenset([0, 33]), 34)
    '2,00000001'
    """
    text = f"{sum(1 << cpu for cpu in mask):0{-(-cpus // 4)}x}"
    first = len(text) % _DIGITS or _DIGITS
    return ",".join([text[:first], *(text[at : at + _DIGITS] for at in range(first, len(text), _DIGITS))])


def parse_cpumask(text: str, cpus: int) -> frozenset[int]:
    """Parses a set. Leading zeros may be missing; an empty text is the empty set.

    Raises:
        TraceError: EINVAL if it is not such a number; EOVERFLOW if a group is too long or a CPU number too high.
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


_RANGE = re.compile(r"([0-9]+|N)(?:-([0-9]+|N)(?::([0-9]+)/([0-9]+))?)?")
_LEADING_ZEROS = re.compile(r"\b0+(?=[0-9])")
_UINT_MAX = (1 << 32) - 1
_DIGITS_OF_UINT = len(str(_UINT_MAX))


def parse_cpulist(text: str, cpus: int) -> frozenset[int]:
    """Parses a list: `0-2,5`, `all`; `N` is the last CPU, and `0-9:2/5` the first two of every five from 0 to 9.

    Raises:
        TraceError: EINVAL if it is not a list; ERANGE if a CPU number is too high; EOVERFLOW if a number exceeds an unsigned int.
    """
    found: set[int] = set()
    for word in filter(None, re.split(r"[,\s]+", _LEADING_ZEROS.sub("", text.split("\n")[0]))):
        match = _RANGE.fullmatch("0-N" if word == "all" else word)
        if match is None:
            raise TraceError(errno.EINVAL, f"'{word}' is no range of CPUs")
        if any(number.isdigit() and (len(number) > _DIGITS_OF_UINT or int(number) > _UINT_MAX) for number in match.groups("0")):
            raise TraceError(errno.EOVERFLOW, f"'{word}': the number is too large")
        first, last = (cpus - 1 if number == "N" else int(number) for number in (match[1], match[2] or match[1]))
        used, group = int(match[3] or 1), int(match[4] or 1)
        if first > last or not group or used > group:
            raise TraceError(errno.EINVAL, f"'{word}' is no range of CPUs")
        if last >= cpus:
            raise TraceError(errno.ERANGE, f"'{word}': there are {cpus} CPUs")
        found.update(cpu for cpu in range(first, last + 1) if (cpu - first) % group < used)
    return frozenset(found)
