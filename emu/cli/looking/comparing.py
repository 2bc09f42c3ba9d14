# SPDX-License-Identifier: GPL-2.0-only
"""What comparisons of traces and of tables have in common: the output, and the exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, TypeVar

from emu.cli.looking.showing import show, write_object
from emu.cli.table import width_of

if TYPE_CHECKING:
    from emu.trace.comparison import Chance

__all__ = ["chance_object", "show_changes"]

_Change = TypeVar("_Change")


def show_changes(
    changes: Sequence[_Change],
    content: Callable[[], Mapping[str, object]] | None,
    show_table: Callable[[Sequence[_Change]], None],
    summary: Iterable[str],
) -> int:
    """Prints what differs, and returns the exit status.

    Args:
        changes: those that are shown.
        content: returns the object that is written instead; None: a table is printed.
        show_table: prints the table.
        summary: the paragraphs below it.
    """
    if content is not None:
        write_object(content())
    else:
        if changes:
            show_table(changes)
        show(line for text in summary for line in wrap(text, width_of(sys.stdout)))
    return 1 if changes else 0


def chance_object(chance: Chance | None) -> dict[str, object]:
    """The tests, as an object has them; empty if there were none."""
    if chance is None:
        return {}
    return {"level": chance.level, "level of one test": chance.of_one_test, "tests": chance.tests, "method": chance.method}
