# SPDX-License-Identifier: GPL-2.0-only
"""Tables of lines: a table is one test, which runs each line twice and reports the lines with different results."""

from __future__ import annotations

__all__ = ["assert_same", "lines"]

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

_Line = TypeVar("_Line")

_AT_ONCE = 4  # lines that run at the same time; some of them sleep


def lines(*texts: str) -> list[str]:
    """The lines of the texts, each of which begins and ends with a newline."""
    return [line for text in texts for line in text.strip().splitlines()]


def assert_same(table: Sequence[_Line], ours: Callable[[_Line], object], theirs: Callable[[_Line], object]) -> None:
    """Fails if `ours` and `theirs` differ for a line of the table: the message has each such line with both results."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        results = list(pool.map(lambda line: (ours(line), theirs(line)), table))
    differing = [
        f"{line}\n  is:        {is_}\n  should be: {be}" for line, (is_, be) in zip(table, results, strict=True) if is_ != be
    ]
    if differing:
        pytest.fail("\n".join([f"{len(differing)} of {len(table)} lines:", *differing]), pytrace=False)
