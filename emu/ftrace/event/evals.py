# SPDX-License-Identifier: GPL-2.0-only
"""C names for numbers in the declarations and print fmts of events (TRACE_DEFINE_ENUM, TRACE_DEFINE_SIZEOF)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Eval", "Evals"]

# Tokens of a print fmt: strings, struct members (which must stay as they are), names and numbers.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|(?:->|\.)\s*\w+|sizeof\([\w ]+\)|\w+')


class Eval(NamedTuple):
    """A name for a number in the events of a system. `value`: as a signed number."""

    system: str
    name: str
    value: int


class Evals:
    """The names of a kernel or of a module."""

    def __init__(self, evals: Iterable[Eval]) -> None:
        self._names: dict[str, dict[str, str]] = {}
        for system, name, value in evals:
            self._names.setdefault(system, {})[name] = str(value)

    def replaced(self, system: str, text: str) -> str:
        """A C text in which the system's names, outside strings, are replaced by their values."""
        names = self._names.get(system)
        return _TOKEN.sub(lambda token: names.get(token[0], token[0]), text) if names else text
