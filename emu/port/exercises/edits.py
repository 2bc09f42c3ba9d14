# SPDX-License-Identifier: GPL-2.0-only
"""Edits of text files: each replaces one text, which must be in its file exactly once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Edit", "EditError", "applied", "apply", "difference", "reversed_edits"]

_SHOWN = 60  # characters of a text, in messages


class EditError(ValueError):
    """An edit does not fit its file. The text is one line."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces `old` by `new` in a file, whose path is relative to a folder."""

    file: str
    old: str
    new: str


def applied(edits: Iterable[Edit], folder: Path) -> Mapping[str, str]:
    """The new contents of the files that edits change, by path. Several edits of one file are made in their order.

    Raises:
        EditError: a file cannot be read, or a text is not in it exactly once.
    """
    texts: dict[str, str] = {}
    for edit in edits:
        try:
            text = texts[edit.file] if edit.file in texts else (folder / edit.file).read_text()
        except OSError as error:
            raise EditError(f"cannot read {folder / edit.file}: {error.strerror}") from None
        if (found := text.count(edit.old)) != 1:
            times = "not" if found == 0 else f"{found} times"
            raise EditError(f"{edit.file}: the text to replace is {times} there: {' '.join(edit.old.split())[:_SHOWN]}")
        texts[edit.file] = text.replace(edit.old, edit.new)
    return texts


def apply(edits: Iterable[Edit], folder: Path) -> None:
    """Changes the files. If an edit does not fit, no file has changed.

    Raises:
        EditError: as for `applied`.
    """
    for name, text in applied(edits, folder).items():
        (folder / name).write_text(text)


def reversed_edits(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that take back others."""
    return [Edit(edit.file, edit.new, edit.old) for edit in reversed(list(edits))]


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff between contents of the same files."""
    lines: list[str] = []
    for name in after:
        old, new = before[name].splitlines(keepends=True), after[name].splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(lines)
