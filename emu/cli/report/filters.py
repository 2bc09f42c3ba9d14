# SPDX-License-Identifier: GPL-2.0-only
"""Options that select from a trace."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    from emu.trace import Trace

__all__ = ["cpu_list", "nanoseconds", "wanted_events"]

_MOST_CPUS = 1 << 16


def wanted_events(trace: Trace, patterns: Sequence[str]) -> frozenset[str] | None:
    """The paths of the matching events; None if no pattern was given.

    Raises:
        click.ClickException: a pattern matches no event for which the trace has a format.
    """
    if not patterns:
        return None
    found: set[str] = set()
    for pattern in patterns:
        matching = {path for path in trace.formats if _matches(pattern, path)}
        if not matching:
            names = [part for path in trace.formats for part in (path, *path.split(":"))]
            raise click.ClickException(f"no event of the trace matches '{pattern}'{did_you_mean(pattern, names)}")
        found |= matching
    return frozenset(found)


def _matches(pattern: str, path: str) -> bool:
    if ":" in pattern:
        return fnmatch.fnmatchcase(path, pattern)
    return any(fnmatch.fnmatchcase(part, pattern) for part in path.split(":"))


def cpu_list(text: str | None) -> list[int] | None:
    """Parses `0,2-3`.

    Raises:
        click.ClickException: the text has another form.
    """
    if text is None:
        return None
    found: list[int] = []
    for part in re.split("[,:]", text):
        match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last >= _MOST_CPUS:
            raise click.ClickException(f"'{text}' is no list of CPUs; one is 0,2-3")
        found += range(first, last + 1)
    return found


def nanoseconds(text: str | None) -> int | None:
    """Parses `114.613`, in seconds.

    Raises:
        click.ClickException: it is not a time.
    """
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,10}(\.\d{1,9})?", text):
        raise click.ClickException(f"'{text}' is no time in seconds")
    return int(Decimal(text) * 10**9)
