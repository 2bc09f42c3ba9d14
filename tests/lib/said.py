# SPDX-License-Identifier: GPL-2.0-only
"""Whether the commands of the documents print what their sections show."""

from __future__ import annotations

import doctest
from collections.abc import Iterable

from emu.tour import Command

__all__ = ["what_is_wrong"]

_MOST = 3_000  # characters shown of a mismatch


def what_is_wrong(shown: Iterable[tuple[Command, str]]) -> str:
    """Reports commands whose output does not match their section; "" if there are none."""
    return "\n".join(_story(*one) for one in shown if not _as_said(*one))


def _as_said(command: Command, printed: str) -> bool:
    return doctest.OutputChecker().check_output(command.shown, printed, doctest.ELLIPSIS)


def _story(command: Command, printed: str) -> str:
    typed = "\n> ".join(command.lines)
    return f"$ {typed}\n--- it should print\n{command.shown[:_MOST]}--- it prints\n{printed[:_MOST]}"
